/* What is on the screen follows the database: when its version has changed, the part that lives is fetched again. What
 * was switched off, opened, sorted or selected stays so. */
'use strict';
(() => {
  const live = document.getElementById('live');
  const state = document.getElementById('state');
  if (!live) return;
  let version = live.dataset.version;

  const keep = (root) => ({
    off: Array.from(root.querySelectorAll('figure.figure'), (f) => [f.id,
      Array.from(f.querySelectorAll('.legend input:not(:checked)'), (b) => b.dataset.line)]),
    open: Array.from(root.querySelectorAll('details'), (d) => d.open),
    picked: Array.from(root.querySelectorAll('input[name=run]:checked'), (b) => b.value),
    sorted: Array.from(root.querySelectorAll('table'), (t) => {
      const heading = t.querySelector('[aria-sort]');
      return heading ? [heading.cellIndex, heading.getAttribute('aria-sort')] : null;
    }),
    scrolled: Array.from(root.querySelectorAll('.scroll, pre'), (e) => [e.scrollLeft, e.scrollTop]),
  });

  const restore = (root, kept) => {
    for (const [id, lines] of kept.off) {
      const figure = document.getElementById(id);
      if (!figure) continue;
      for (const box of figure.querySelectorAll('.legend input'))
        if (lines.includes(box.dataset.line)) {
          box.checked = false;
          poula.show(figure, box);
        }
    }
    root.querySelectorAll('details').forEach((d, i) => { d.open = Boolean(kept.open[i]); });
    for (const box of root.querySelectorAll('input[name=run]')) box.checked = kept.picked.includes(box.value);
    root.querySelectorAll('table').forEach((table, i) => {
      if (!kept.sorted[i] || !table.tHead) return;
      const [index, way] = kept.sorted[i];
      const heading = table.tHead.rows[table.tHead.rows.length - 1].cells[index];
      const button = heading && heading.querySelector('button.sort');
      if (button) button.click();
      if (button && way === 'descending') button.click();
    });
    root.querySelectorAll('.scroll, pre').forEach((e, i) => {
      if (kept.scrolled[i]) [e.scrollLeft, e.scrollTop] = kept.scrolled[i];
    });
  };

  const busy = () => live.querySelector('.tip') || (document.activeElement && live.contains(document.activeElement) &&
    document.activeElement.matches('input[type=text], textarea, select'));

  const renew = async () => {
    const address = new URL(location.href);
    address.searchParams.set('part', '1');
    const answer = await fetch(address, { cache: 'no-store' });
    if (!answer.ok) throw new Error(answer.status);
    const text = await answer.text();
    if (busy()) return false;
    const kept = keep(live);
    live.innerHTML = text;
    poula.set(live);
    restore(live, kept);
    return true;
  };

  const look = async () => {
    const begun = performance.now();
    try {
      const answer = await fetch('version', { cache: 'no-store' });
      if (!answer.ok) throw new Error(answer.status);
      const now = await answer.text();
      if (now !== version && !document.hidden && await renew()) version = now;
      state.textContent = '';
    } catch (error) {
      state.textContent = 'No answer from poula serve; what is shown may be old.';
    }
    setTimeout(look, Math.max(1000, 4 * (performance.now() - begun)));
  };
  setTimeout(look, 1000);
})();

/* Tables that sort, lines that switch off, values under the pointer. Texts are only ever set as text. */
'use strict';
const poula = (() => {
  const SVG = 'http://www.w3.org/2000/svg';

  /* ---- tables ---- */

  const keyOf = (cell) => {
    const told = cell ? cell.dataset.value : undefined;
    const text = told !== undefined ? told : cell ? cell.textContent.trim() : '';
    const number = text === '' ? NaN : Number(text.replace(/^([+-]?)inf$/, '$1Infinity'));
    return { text, number };
  };

  /* Numbers before texts, cells without a value at the end whatever the direction. */
  const compare = (a, b, sign) => {
    const none = (a.text === '') - (b.text === '');
    if (none) return none;
    if (isNaN(a.number) !== isNaN(b.number)) return isNaN(a.number) - isNaN(b.number);
    return sign * (isNaN(a.number) ? a.text.localeCompare(b.text) : a.number - b.number || 0);
  };

  const sortBy = (table, heading, index) => {
    const down = heading.getAttribute('aria-sort') === 'ascending';
    for (const other of table.tHead.querySelectorAll('[aria-sort]')) other.removeAttribute('aria-sort');
    heading.setAttribute('aria-sort', down ? 'descending' : 'ascending');
    const body = table.tBodies[0];
    const rows = Array.from(body.rows, (row) => ({ row, key: keyOf(row.cells[index]) }));
    rows.sort((a, b) => compare(a.key, b.key, down ? -1 : 1));
    for (const { row } of rows) body.append(row);
  };

  const setTable = (table) => {
    if (!table.tHead || !table.tBodies.length || table.tBodies[0].rows.length < 2) return;
    const headings = table.tHead.rows[table.tHead.rows.length - 1].cells;
    Array.from(headings).forEach((heading, index) => {
      if (!heading.textContent) return;
      const button = document.createElement('button');
      button.type = 'button';
      button.className = 'sort';
      button.append(...heading.childNodes);
      button.addEventListener('click', () => sortBy(table, heading, index));
      heading.append(button);
    });
  };

  /* ---- figures ---- */

  const linesOf = (svg, line) => svg.querySelectorAll(`.line[data-line="${line}"]`);

  const shown = (figure) => {
    const off = new Set();
    for (const box of figure.querySelectorAll('.legend input')) if (!box.checked) off.add(Number(box.dataset.line));
    return (line) => !off.has(line);
  };

  const show = (figure, box) => {
    for (const line of linesOf(figure, Number(box.dataset.line))) line.classList.toggle('off', !box.checked);
  };

  const nearest = (places, x) => {
    let best = -1;
    for (let i = 0; i < places.length; i++)
      if (best < 0 || Math.abs(places[i] - x) < Math.abs(places[best] - x)) best = i;
    return best;
  };

  const label = (figure, line) => {
    const box = figure.querySelector(`.legend input[data-line="${line}"]`);
    return box ? box.parentNode.querySelector('span').textContent : '';
  };

  const spell = (value) => (value === null ? '–' : String(value).replace('-', '−'));

  const valueText = (line, i) => {
    let text = spell(line.m[i]);
    const spread = line.hi && line.hi[i] !== null && line.m[i] !== null && typeof line.m[i] === 'number';
    if (spread && line.n[i] > 1) text += ' ± ' + Number((line.hi[i] - line.m[i]).toPrecision(3));
    if (line.q3 && line.q3[i] !== null) text += `, quartiles ${spell(line.q1[i])} and ${spell(line.q3[i])}`;
    if (line.n) text += ` (${line.n[i]} run${line.n[i] === 1 ? '' : 's'})`;
    return text;
  };

  const setPanel = (figure, svg) => {
    let data = null, tip = null, cross = null, at = null;
    const panel = svg.parentNode;
    const read = () => data || (data = JSON.parse(svg.dataset.panel));
    const hide = () => {
      if (tip) tip.remove();
      if (cross) cross.remove();
      tip = cross = null;
    };
    const heightOf = (value) => {
      const [low, high] = read().y, [, top, , bottom] = read().box;
      const f = read().log ? Math.log10 : (v) => v;
      return bottom - (bottom - top) * (f(value) - f(low)) / (f(high) - f(low));
    };

    const draw = (x, y) => {
      const visible = shown(figure);
      const lines = read().lines.filter((l) => l.p.length && visible(l.line));
      let place = null;
      for (const line of lines) {
        const p = line.p[nearest(line.p, x)];
        if (place === null || Math.abs(p - x) < Math.abs(place - x)) place = p;
      }
      hide();
      if (place === null) return;
      at = place;
      const rows = [];
      for (const line of lines) {
        const i = nearest(line.p, place);
        if (Math.abs(line.p[i] - place) <= 4)
          rows.push({ line, i, far: typeof line.m[i] === 'number' ? Math.abs(heightOf(line.m[i]) - y) : Infinity });
      }
      rows.sort((a, b) => (typeof b.line.m[b.i] === 'number' ? b.line.m[b.i] : -Infinity) -
                          (typeof a.line.m[a.i] === 'number' ? a.line.m[a.i] : -Infinity) || 0);
      const least = Math.min(...rows.map((r) => r.far));
      const [, top, , bottom] = read().box;
      cross = document.createElementNS(SVG, 'path');
      cross.setAttribute('class', 'cross');
      cross.setAttribute('d', `M${place} ${top}V${bottom}`);
      svg.append(cross);
      tip = document.createElement('div');
      tip.className = 'tip';
      tip.setAttribute('role', 'status');
      const head = document.createElement('div');
      head.textContent = spell(rows[0].line.x[rows[0].i]);
      tip.append(head);
      for (const { line, i, far } of rows.slice(0, 14)) {
        const row = document.createElement('div');
        const name = label(figure, line.line);
        row.className = `row c${line.line % 8}${far === least ? ' near' : ''}`;
        row.textContent = (name ? name + ': ' : '') + valueText(line, i);
        tip.append(row);
      }
      panel.append(tip);
      const scale = svg.clientWidth / svg.viewBox.baseVal.width;
      const left = place * scale + 12;
      const room = panel.clientWidth - tip.offsetWidth;
      tip.style.left = Math.max(0, left <= room ? left : place * scale - tip.offsetWidth - 12) + 'px';
      tip.style.top = svg.getBoundingClientRect().top - panel.getBoundingClientRect().top + 8 + 'px';
    };

    const point = (event) => {
      const box = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / box.width;
      draw((event.clientX - box.left) * scale, (event.clientY - box.top) * scale);
    };
    svg.addEventListener('pointermove', point);
    svg.addEventListener('pointerdown', point);
    svg.addEventListener('pointerleave', hide);
    svg.addEventListener('blur', hide);
    svg.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (event.key === 'Escape') hide();
      if (!step) return;
      event.preventDefault();
      const all = [...new Set(read().lines.filter((l) => shown(figure)(l.line)).flatMap((l) => l.p))].sort((a, b) => a - b);
      const now = at === null ? (step > 0 ? -1 : all.length) : all.indexOf(at);
      const next = all[Math.min(Math.max(now + step, 0), all.length - 1)];
      if (next !== undefined) draw(next, 0);
    });
  };

  const setFigure = (figure) => {
    for (const box of figure.querySelectorAll('.legend input')) {
      box.addEventListener('change', () => show(figure, box));
      show(figure, box);
    }
    for (const svg of figure.querySelectorAll('svg.lines')) setPanel(figure, svg);
  };

  const set = (root) => {
    for (const table of root.querySelectorAll('table:not(.paged)')) setTable(table);
    for (const figure of root.querySelectorAll('figure.figure')) setFigure(figure);
  };

  document.documentElement.classList.add('js');
  set(document);
  let opened = [];
  window.addEventListener('beforeprint', () => {
    opened = Array.from(document.querySelectorAll('details:not([open])'));
    for (const details of opened) details.open = true;
  });
  window.addEventListener('afterprint', () => {
    for (const details of opened) details.open = false;
  });
  return { set, show };
})();

/* What the name of a metric says, where that is all that is known of it.
 *
 * A name is cut into words: at everything that is no letter or digit, and where its case changes (valLoss, testAcc).
 * The words and phrases below are looked for, longest first, digits and a plural s behind them aside (acc1, top5,
 * losses). A word that stands in no list says nothing, and a name of such words is undeclared: better no choice than
 * a wrong one. */
#include "train/metric.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

enum meaning {
    NOTHING, /* a word of no list */
    ASIDE,   /* says which value it is, not what: best, mean */
    DIGITS,
    TRAIN,
    VALID,
    EVAL,
    TEST,
    COUNTED,  /* neutral as long as nothing but words aside stands beside it: step, samples */
    NOUN,     /* neutral unless another word has a direction: norm, theta */
    NEUTRAL,  /* neutral when it comes last: loss_scale, gradient_norm; scale_loss is a loss */
    CLOCK,    /* the same, and told by a clock */
    SCATTER,  /* wherever it stands, nobody knows what is better: std_reward, acc_std */
    SPREAD,   /* when it comes last nobody knows what is better: acc_delta, loss_ratio */
    OPPOSITE, /* turns the other words round, or does not */
    RANKED,   /* top5, hits@10, pass@1: up with a number behind it, where nothing else is said */
    ACCURACY,
    UP,
    CHANCE, /* up; a run whose likelihood is not finite has diverged */
    ERROR,
    DISTANCE, /* down; an error that is not finite is divergence, a distance is not */
    PERPLEXITY,
    CRITERION,
    LOSS, /* down: losses by other names, and the word itself */
    MEANINGS
};

static const struct {
    enum meaning meaning;
    const char *phrases; /* separated by commas, each of lower-case words */
} lexicon[] = {
    {ASIDE, "best,min,max,minimum,maximum,mean,avg,average,averaged,median,final,last,total,sum,running,smooth,"
            "smoothed,ema,sma,swa,ma,raw,macro,micro,weighted,overall,global,current,cur,score,metric,value,rate,per,"
            "at,and,of,the,k,all,in,to,ep,eps,rollout,model,output"},
    {TRAIN, "train,training,trn,tr"},
    {VALID, "valid,val,validation,validate,dev,vl"},
    {EVAL, "eval,evaluation,evaluate"},
    {TEST, "test,testing,tst"},
    {COUNTED, "epoch,step,iteration,iter,update,sample,example,image,token,frame,batch,episode,timestep,count,num,"
              "acc steps,"
              "number,n,batch size,seed,param,progress,round,generation,trial"},
    {NOUN, "norm,size,theta,parameter,length,momentum,dropout,batchsize,floor,share,stepsize,step size"},
    {NEUTRAL, "lr,learning rate,learningrate,weight decay,wd,scale,scaling,coef,coeff,coefficient,grad,gradient,"
              "temperature,lambda,alpha,beta,gamma,epsilon,mem,memory,vram,gpu,cpu,rss,mb,gb,mib,gib,byte,weight,watt,"
              "utilization,clip,clipfrac,clip fraction,schedule,return code,exit code"},
    {CLOCK, "second,sec,s,ms,us,time,duration,elapsed,hour,minute,walltime,wall,clock,latency,throughput,fps,ips,"
            "speed,remaining,runtime,timestamp,eta,flops,tflops,mfu,per second,per sec,per s"},
    {SCATTER, "std,stdev,stddev,std dev,standard deviation,stderr,std err,standard error"},
    {SPREAD, "deviation,sd,var,variance,sem,ratio,delta,diff,difference,change,threshold,slope,trend,improvement,"
             "decrease,increase,drop,reduction,gain,penalty,map size,"
             "quantile,percentile,skew,kurtosis,histogram,id,index,bound,limit,target"},
    {OPPOSITE, "neg,negative,minus,inverse,inv,inverted,reciprocal,non,no,not,false,true,anti,"
               "time to,step to,steps to,epoch to,epochs to,iteration to,iterations to,iters to,updates to"},
    {RANKED, "top,hit,pass,p at,r at"},

    {ACCURACY, "accuracy,accuracies,acc,macc,pacc,aacc,bacc,oacc,correct,exact match"},
    {UP,
     "auc,auroc,auprc,aucpr,rocauc,prauc,roc auc,pr auc,ap,map,precision,prec,recall,sensitivity,specificity,tpr,"
     "tnr,ppv,npv,true positive rate,true negative rate,true positive,true negative,positive predictive value,"
     "negative predictive value,f1,f2,f 1,f1score,fscore,fbeta,f score,f measure,f beta,microf1,macrof1,mf1,iou,"
     "miou,fwiou,giou,jaccard,dice,dsc,kappa,qwk,mcc,matthews,bleu,sacrebleu,rouge,rougel,rougelsum,meteor,chrf,"
     "cider,spice,bertscore,comet,gleu,r2,r 2,rsquared,r squared,r2score,coefficient of determination,"
     "explained variance,pearson,pearsonr,spearman,spearmanr,kendall,kendalltau,correlation,corr,ccc,pcc,srcc,"
     "plcc,return,reward,rew,ep ret,profit,sharpe,fitness,ndcg,dcg,mrr,reciprocal rank,mean reciprocal rank,hit rate,"
     "hitrate,hr at,success,success rate,success ratio,win,win rate,win ratio,winrate,elo,pass rate,psnr,ssim,"
     "msssim,snr,sdr,sisdr,sisnr,pesq,stoi,mos,inception score,nmi,ami,ari,vmeasure,silhouette,purity,mota,motp,"
     "idf1,hota,detection rate,speedup,solved,completion rate,nse,pck,oks,dice coef,dice coefficient,"
     "correlation coefficient,corrcoef,clip score"},
    {CHANCE, "likelihood,loglikelihood,log likelihood,loglik,log lik,ll,log prob,logprob,log probability,evidence,"
             "elbo,evidence lower bound,neg mean squared error,neg root mean squared error,neg mean absolute error,"
             "neg median absolute error,neg mean squared log error,neg mean absolute percentage error,neg max error,"
             "neg log loss,neg brier score,neg mse,neg rmse,neg mae,neg mape,neg nll,neg cross entropy"},
    {ERROR, "error,err,error rate,mse,rmse,nrmse,mae,nmae,mape,smape,wmape,mase,msle,rmsle,rmsd,residual,objective,"
            "cost,risk,brier,crps,pinball,inaccuracy,misclassification,misclassified,incorrect,wrong,mistake"},
    {DISTANCE, "distance,dist,gap,suboptimality,wer,cer,ter,word error rate,character error rate,eer,"
               "equal error rate,fid,kid,fvd,fad,lpips,niqe,brisque,fpr,fnr,frr,fdr,false positive rate,"
               "false negative rate,false positive,false negative,false alarm,false alarm rate,false discovery rate,"
               "miss rate,failure,failure rate,fail rate,collision,collision rate,crash,crash rate,violation,regret,"
               "wasserstein,sinkhorn,emd,mmd,chamfer,hausdorff,hd95,assd,ece,calibration error,discrepancy,ade,fde,"
               "epe,hamming,levenshtein,toxicity"},
    {PERPLEXITY, "perplexity,perplexities,ppl,pplx,perp,bpc,bpd,bpb,bpw,bits per,bits per byte,bits per char,"
                 "bits per character,bits per dim,bits per token,bits per word,nats per"},
    {CRITERION, "logloss,log loss,nll,nllloss,negloglik,neg log likelihood,negative log likelihood,neg loglikelihood,"
                "negative loglikelihood,neg log lik,neg ll,neg elbo,negative elbo,cross entropy,crossentropy,xent,"
                "xentropy,xe,ce,bce,cce,kl,kld,kldiv,divergence,jsd,hinge,huber,smoothl1,focal,ctc,criterion"},
    {LOSS, "loss,losses"},
};
enum { LISTS = sizeof lexicon / sizeof *lexicon, WORDS_MOST = 24, WORD_SIZE = 40, PHRASE_WORDS = 5 };

struct words {
    char text[WORDS_MOST][WORD_SIZE];
    size_t count;
};

/* ---- the lists ---- */

static bool in_list(const char *list, const char *phrase, size_t length)
{
    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (strcspn(list, ",") == length && !memcmp(list, phrase, length))
            return true;
    return false;
}

/* The last list that has it, so that what is said of a phrase beats what is said aside. */
static enum meaning exact(const char *phrase, size_t length)
{
    for (size_t i = LISTS; length && i-- > 0;)
        if (in_list(lexicon[i].phrases, phrase, length))
            return lexicon[i].meaning;
    return NOTHING;
}

/* The same with digits and a plural s taken off the end. */
static enum meaning lookup(const char *phrase)
{
    size_t length = strlen(phrase);
    if (length && strspn(phrase, "0123456789") == length)
        return DIGITS;
    enum meaning found = exact(phrase, length);
    while (!found && length && isdigit((unsigned char)phrase[length - 1]))
        length--;
    found = found ? found : exact(phrase, length);
    if (!found && length > 3 && phrase[length - 1] == 's')
        found = exact(phrase, length - 1);
    return found;
}

/* ---- words ---- */

static void add_word(struct words *words, const char *text, size_t length)
{
    if (words->count == WORDS_MOST || !length)
        return;
    char *word = words->text[words->count++];
    length = length < WORD_SIZE ? length : WORD_SIZE - 1;
    for (size_t i = 0; i < length; i++)
        word[i] = (char)tolower((unsigned char)text[i]);
    word[length] = '\0';
}

static enum meaning meaning_of(const char *text, size_t length)
{
    struct words one = {.count = 0};
    add_word(&one, text, length);
    return lookup(one.text[0]);
}

static bool is_modifier(enum meaning meaning)
{
    return meaning == ASIDE || (meaning >= TRAIN && meaning <= COUNTED);
}

/* valloss, testacc, avgreturn: a word that says on what, then one that says what. */
static bool add_joined(struct words *words, const char *text, size_t length)
{
    for (size_t i = 3; i + 2 <= length; i++)
        if (is_modifier(meaning_of(text, i)) && meaning_of(text + i, length - i) >= ACCURACY) {
            add_word(words, text, i);
            add_word(words, text + i, length - i);
            return true;
        }
    return false;
}

static bool is_boundary(const char *text, size_t i, size_t length)
{
    unsigned char before = (unsigned char)text[i - 1], at = (unsigned char)text[i];
    if (isdigit(before) || isdigit(at))
        return isdigit(before) && !isdigit(at); /* digits belong to what they follow */
    if (!isupper(at))
        return false;
    return !isupper(before) || (i + 1 < length && islower((unsigned char)text[i + 1]));
}

/* Words that are known as they stand (mAP, IoU, F1) are not cut; others are where the case changes, and pieces that
 * make a known word together (valIoU) are joined again. */
static void add_part(struct words *words, const char *text, size_t length)
{
    size_t ends[WORDS_MOST], count = 0;
    if (meaning_of(text, length) != NOTHING) {
        add_word(words, text, length);
        return;
    }
    for (size_t i = 1; i <= length && count < WORDS_MOST; i++)
        if (i == length || is_boundary(text, i, length))
            ends[count++] = i;
    for (size_t i = 0, from = 0; i < count; i++) {
        size_t last = i + 2 < count ? i + 2 : count - 1;
        while (last > i && meaning_of(text + from, ends[last] - from) == NOTHING)
            last--;
        if (meaning_of(text + from, ends[last] - from) != NOTHING || !add_joined(words, text + from, ends[last] - from))
            add_word(words, text + from, ends[last] - from);
        from = ends[last];
        i = last;
    }
}

static bool is_letter(unsigned char c)
{
    return isalnum(c) || c >= 0x80;
}

static void cut(const char *name, struct words *words)
{
    while (*name) {
        size_t length = 0;
        while (is_letter((unsigned char)name[length]))
            length++;
        add_part(words, name, length);
        name += length;
        if (*name == '@')
            add_word(words, "at", 2);
        name += *name != '\0';
    }
}

/* ---- phrases ---- */

/* The meaning of the longest phrase that begins with word i; *length is how many words it has. */
static enum meaning longest(const struct words *words, size_t i, size_t *length)
{
    char phrase[PHRASE_WORDS * WORD_SIZE];
    size_t most = words->count - i < PHRASE_WORDS ? words->count - i : PHRASE_WORDS;
    for (*length = most; *length > 1; --*length) {
        size_t at = 0;
        for (size_t w = 0; w < *length; w++) {
            size_t n = strlen(words->text[i + w]);
            memcpy(phrase + at, words->text[i + w], n);
            at += n;
            phrase[at++] = w + 1 < *length ? ' ' : '\0';
        }
        enum meaning meaning = lookup(phrase);
        if (meaning != NOTHING && meaning != DIGITS)
            return meaning;
    }
    return lookup(words->text[i]);
}

/* Is a number behind word i, in it (top5) or beyond an "at" (top@5)? */
static bool is_numbered(const struct words *words, size_t i)
{
    const char *word = words->text[i];
    if (isdigit((unsigned char)word[strlen(word) - 1]))
        return true;
    i += i + 1 < words->count && !strcmp(words->text[i + 1], "at");
    return i + 1 < words->count && lookup(words->text[i + 1]) == DIGITS;
}

/* What was found in a name. */
struct sense {
    bool seen[MEANINGS];
    enum meaning head; /* of the last word that may decide */
    bool counts;       /* nothing but counts, words aside, sets of data and numbers */
    bool when;         /* best_acc_epoch: a position, and not the value there */
    bool folder;       /* nothing but words aside, sets of data and numbers */
};

static void find_sense(const struct words *words, struct sense *sense)
{
    size_t length;
    bool best = false;
    *sense = (struct sense){.head = NOTHING, .counts = words->count > 0, .folder = true};
    for (size_t i = 0; i < words->count; i += length) {
        enum meaning meaning = longest(words, i, &length);
        if (meaning == RANKED && !is_numbered(words, i + length - 1))
            meaning = NOTHING;
        sense->counts = sense->counts && (is_modifier(meaning) || meaning == DIGITS);
        sense->seen[meaning] = true;
        sense->folder = sense->folder && meaning != COUNTED && (is_modifier(meaning) || meaning == DIGITS);
        best = best || !strcmp(words->text[i], "best");
        sense->when = best && meaning == COUNTED;
        if ((meaning >= NEUTRAL && meaning <= SPREAD) || meaning >= ACCURACY)
            sense->head = meaning;
    }
}

/* ---- what it all says ---- */

static bool any(const struct sense *s, enum meaning from, enum meaning to)
{
    for (enum meaning m = from; m <= to; m++)
        if (s->seen[m])
            return true;
    return false;
}

static enum pl_direction direction_of(const struct sense *s)
{
    bool up = any(s, ACCURACY, CHANCE), down = any(s, ERROR, LOSS);
    if (s->head == NEUTRAL || s->head == CLOCK)
        return PL_NEUTRAL;
    if (s->head == SPREAD || s->head == SCATTER || (s->when && (up || down)) ||
        ((s->seen[OPPOSITE] || s->seen[SCATTER]) && (up || down)))
        return PL_UNDECLARED;
    if (up &&
        down) /* acc_loss, loss_iou, reward_error are what is minimised; of loss_acc or cost_return nobody knows */
        return s->head >= ERROR || (s->seen[LOSS] && !s->seen[ACCURACY]) ? PL_MINIMIZE : PL_UNDECLARED;
    if (up || down)
        return up ? PL_MAXIMIZE : PL_MINIMIZE;
    if (s->seen[RANKED])
        return s->seen[OPPOSITE] ? PL_UNDECLARED : PL_MAXIMIZE;
    return s->seen[NOUN] || (s->seen[COUNTED] && s->counts) ? PL_NEUTRAL : PL_UNDECLARED;
}

/* A name with "loss" in it is told to diverge even where nobody knows which way it is better. */
static bool is_loss(const struct sense *s)
{
    if ((s->head >= NEUTRAL && s->head <= SPREAD) || s->when)
        return false;
    return any(s, PERPLEXITY, LOSS) || s->seen[CHANCE] || s->head == ERROR;
}

static enum pl_metric_set set_of(const struct sense *s)
{
    if (s->seen[TEST])
        return PL_SET_TEST;
    if (s->seen[VALID])
        return PL_SET_VALID;
    if (s->seen[TRAIN])
        return PL_SET_TRAIN;
    return s->seen[EVAL] ? PL_SET_VALID : PL_SET_UNKNOWN;
}

static unsigned rank_of(const struct sense *s, enum pl_direction direction, enum pl_metric_set set)
{
    static const unsigned place[] = {
        [PL_SET_TEST] = 0, [PL_SET_VALID] = 1, [PL_SET_UNKNOWN] = 2, [PL_SET_TRAIN] = PL_RANK_TRAIN};
    if (!pl_direction_is_choice(direction))
        return PL_RANK_LAST;
    unsigned rank = any(s, CRITERION, LOSS) ? PL_RANK_LOSS : s->seen[PERPLEXITY] ? PL_RANK_PERPLEXITY : PL_RANK_ERROR;
    if (direction == PL_MAXIMIZE)
        rank = s->seen[ACCURACY] || s->seen[RANKED] ? PL_RANK_ACCURACY : PL_RANK_SCORE;
    return rank + place[set];
}

/* Below losses/ stands whatever is computed beside them (losses/q_values, losses/explained_variance): the last part
 * decides, if it says more than a set of data. */
static const char *telling_part(const char *name)
{
    const char *last = strrchr(name, '/');
    size_t folder = strlen("losses/");
    for (const char *c = name; last && c + folder <= last + 1; c++)
        if ((c == name || c[-1] == '/') && !strncasecmp(c, "losses/", folder)) {
            struct words words = {.count = 0};
            struct sense sense;
            cut(last + 1, &words);
            find_sense(&words, &sense);
            return sense.folder ? name : last + 1;
        }
    return name;
}

struct pl_metric pl_metric_judge_name(const char *name)
{
    struct words words = {.count = 0}, all = {.count = 0};
    struct sense sense, whole;
    cut(telling_part(name), &words);
    find_sense(&words, &sense);
    cut(name, &all);
    find_sense(&all, &whole);
    enum pl_direction direction = direction_of(&sense);
    enum pl_metric_set set = set_of(&whole);
    return (struct pl_metric){.name = name,
                              .direction = direction,
                              .set = set,
                              .loss = is_loss(&sense),
                              .clock = sense.head == CLOCK,
                              .rank = rank_of(&sense, direction, set)};
}

import type { Grammar } from "./grammar.ts";

export const it: Grammar = {
  determiners:
    "il lo la i gli le un uno una l' un' del dello della dei degli delle al allo alla ai agli alle dal dalla dallo nel nello nella nei nelle sul sulla sullo dell' all' nell' dall' sull'",
  prepositions: "di a da in con su per tra fra senza verso d'",
  conjunctions: "e ed o ma perché mentre né che",
  subjects: "",
  clitics: "mi ti si ci vi",
  verbs: "è sono era erano ha hanno ho abbiamo sarà fu",
  others:
    "io tu non se quando come dove chi cosa più molto anche già ancora poi ora qui qua ne questo questa questi quello quella tutto tutti sempre mai bene essere avere fare fatto hai siamo sei suo sua mio mia tuo tua cui nn due tre fammi così po sia stato qual quale voi noi",
  mayEnd: "su verso senza si ci uno una",
  fine: "* che, * per, la ha, la hanno, la ho, lo ha, lo hanno, lo ho, lo è, lo era, lo sono, lo sarà, le ho, le ha, le hanno, gli ha, gli hanno, gli ho, gli è, gli sono, gli era, l' ha, l' hanno, l' ho, l' abbiamo, l' era, gli si, lo si, la si, le si, uno di, una di, uno in, uno a, uno su, una su, l' uno, l' una, su di, senza di, tra di, fra di, verso di, di per, per di, da in, di a, a da, per da, ci si, mi ci, mi si, vi si, ti ci, ti si, in su, in con, la a, le a, gli a, lo a, gli in, la in, le in, gli di, le di, e o, mi a, mi da, ti da, mi di, ti di, ti in, mi in, si a, si di, si da, si in, si con, ci a, ci di, vi a, si il, si la, si i, si le, mi il, ci il",
  never:
    "di il, di lo, di la, di i, di gli, di le, a il, a lo, a la, a i, a gli, a le, da il, da la, da i, da gli, da le, in il, in la, in i, in gli, in le, su il, su la, su i, su gli, su le, e e, e ma, ma e, perché e, che e, che ma, non il, molto il, molto di, il e, la e, io è, io ha, tu è, tu ha, io hanno",
  clashes: [
    ["il i del al nel dal sul dei ai nei sui", /^[aeou]\p{L}{2,}$/u],
    ["il un del al nel dal sul", /^\p{L}{3,}i$/u],
    ["i dei degli ai agli nei negli sui", /^\p{L}{3,}[ao]$/u],
    ["della alla nella dalla sulla una", /^(?!mano|foto|moto|radio|auto)\p{L}{3,}o$/u],
    [
      "il i un del al nel dal sul della alla nella la gli una uno lo dei le",
      /^(?:non|già|anche|se|noi|voi|quando|come|ma|perché|e|o|con|da|questi|questo|questa)$/,
    ],
    ["il uno", /^(?:s[bcdfglmnpqrtv]|z)\p{L}+$/u],
    ["di a da in con su per tra fra", /^(?:mi|ti|si|ci|vi|è|sono|ha|hanno|ho|hai|abbiamo|siamo|e|o|ma|era)$/],
    ["sono ha hanno ho hai abbiamo siamo è era", /^(?:è|sono|ha|hanno|ho|hai|abbiamo|siamo|era|e|ma|si)$/],
    ["molto troppo piuttosto", /^(?:il|lo|i|gli|le|un|e|è|ha|hanno)$/],
    ["che cui chi", /^(?:e|del|della|ma|o|cui)$/],
    ["questo questi questa queste ogni", /^(?:il|lo|la|i|gli|le|un)$/],
    ["si mi ti ci vi", /^\p{L}+(?:zione|tà|mente|uto)$/u],
    ["i dei nei degli", /^\p{L}+(?:are|ere|ire)$/u],
    ["ogni", /^(?:noi|voi|e|di|che)$/],
    ["hai ho", /^(?:e|ma)$/],
    ["il un uno una del della dei al alla nel nella", /^(?:ho|hai|ha|abbiamo|hanno|sono|è|era|vado|posso|può|voglio|faccio)$/],
  ],
};

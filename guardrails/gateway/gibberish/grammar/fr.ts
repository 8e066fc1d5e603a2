import type { Grammar } from "./grammar.ts";

export const fr: Grammar = {
  determiners: "le la les un une des du au aux mon ma mes ton ta tes son sa ses notre nos votre vos cette ces l' chaque",
  prepositions: "de d' à en dans par pour avec sans sous sur chez entre vers depuis pendant contre dès",
  conjunctions: "et ou mais car donc que qu' quand lorsque puisque parce",
  subjects: "je j' tu il ils on",
  clitics: "me m' te t' se s' ne n'",
  verbs: "est sont était étaient ont avait suis sommes êtes sera fut",
  others:
    "pas plus ce qui y elle elles nous vous leur leurs tout tous très bien être avoir fait si comme où dont a ai as avez avons même aussi après avant ici là rien oui non quel quelle deux trois c' c'est",
  mayEnd: "avec pour contre depuis sans vers on tu il ils nos mon",
  fine: "* que, * qu', * en, * on, * ne, un ton, du ton, au ton, le ton, un son, du son, au son, le son, les notre, les nos, un de, une de, un d', une d', l' un, l' une, les uns, l' est, l' a, l' ont, l' avait, l' était, l' étaient, la sont, les ont, les avait, le sera, le suis, le sont, le est, pour de, avec de, sans de, sur de, dans de, par de, contre de, chez de, entre de, vers de, pour d', avec d', sur d', dans d', par d', d' un, d' à, de par, de chez, de sous, de pour, de contre, de dans, de à, pour dans, pour dès, pour sur, il le, il la, il les, il l', je le, je la, je les, je l', tu le, tu la, tu les, tu l', ils le, ils la, ils les, ils l', on le, on la, on les, on l', je me, me le, me la, me les, me l', te le, te la, te les, te l', se le, se la, se les, se l', ne le, ne la, ne les, ne l', s' il, s' ils, m' a, n' est, s' est, ne sont, n' ont, et donc, ou donc, mais quand, et quand, et que, est est",
  never:
    "et et, et ou, ou et, mais et, et mais, car et, que et, que ou, parce le, parce il, parce et, parce de, je est, je sont, tu est, il sont, ils est, que que, dont et, qui et, qui il, où et",
  clashes: [
    ["le la de je ne me te se que", /^[aeoéèêàâ]\p{L}{2,}$/u],
    ["le la de je ne me te se que", /^(?:a|à|en|et|est|il|on|un|une|elle|ils|au|aux|où|ou)$/],
    ["des mes tes ses ces nos vos aux leurs", /^(?!quatre|cinq|sept|huit|neuf|onze|gens)\p{L}{2,}[^sxz]$/u],
    [
      "un une mon ma ton ta son sa cette ce chaque du au",
      /^(?:et|ou|mais|pas|ne|se|me|te|je|tu|il|ils|on|nous|vous|elle|dans|par|sur|avec|pour|sans|le|la|les|des|du|au|un)$/,
    ],
    ["le la les un une des du", /^(?:hier|demain|vraiment)$/],
    ["avant après pendant depuis", /^(?:est|sont|a|ont|il|je|tu)$/],
    ["très", /^(?:le|la|les|un|une|de|du|des|et|est|sont|il)$/],
    ["dans par sur avec pour sans chez sous vers en", /^(?:il|ils|je|tu|se|est|sont|et|ou|mais|au|aux)$/],
    [
      "elle elles il ils je tu on",
      /^(?:de|du|des|à|au|aux|dans|par|sur|avec|pour|et|ou|mais|un|une|ces|cette|leurs|pas|très|mon|son|sa|il|elle)$/,
    ],
    ["nous vous", /^(?:est|sont|ont|il|je)$/],
    ["pas plus rien", /^(?:tu|je|il|ils)$/],
    ["a ont est sont était", /^(?:est|ont|a|et|je|tu|se|ne)$/],
    ["ces cette", /^(?:le|la|les|un|une|de|du|et|je|tu|il|nous|pas|dans)$/],
    ["qui dont", /^(?:de|et|du)$/],
    ["du", /^(?:le|la|les|de)$/],
    ["de à en dans pour avec sans sur chez par", /^(?:suis|sommes|êtes|avons|avez|ai|vais|peut|peux|veux|veut|sera|serait|seront)$/],
    [
      "un une des du au aux cette ces mon ma mes son sa ses",
      /^(?:suis|sommes|êtes|avons|avez|ai|vais|peut|peux|veux|veut|seront|avaient)$/,
    ],
  ],
};

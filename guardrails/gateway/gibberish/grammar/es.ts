import type { Grammar } from "./grammar.ts";

export const es: Grammar = {
  determiners: "el la los las un una unos unas mi tu su mis tus sus nuestro nuestra cada del al",
  prepositions: "de a en con por para sin sobre entre desde hasta hacia contra durante",
  conjunctions: "y e o pero porque aunque mientras ni sino que",
  subjects: "",
  clitics: "me te se le les nos",
  verbs: "es son era eran fue está están estaba ha han había hay",
  others:
    "yo no lo ya más muy todo esta este esto eso esa si cuando como donde qué quién cómo también bien solo sólo después antes aquí allí nada algo hoy ayer mañana ser estar he hemos soy estoy tengo tiene hacer puede porfa q cual cuál nunca dos tres",
  mayEnd: "mi sobre contra nos",
  fine: "me e, te e, se e, el que, la que, los que, las que, del que, al que, de que, a que, en que, con que, para que, sin que, por que, hasta que, desde que, sobre que, contra que, entre que, me que, el de, la de, los de, las de, un de, una de, unos de, unas de, al de, del de, cada una, cada un, la ha, la han, la había, los ha, los han, los había, las ha, las han, los hay, las hay, la hay, un y, por entre, de entre, para con, de por, de a, hasta en, a por, por sobre, hasta por, desde hasta, mi y, tu y, se la, se los, se las, se el, me la, me los, me las, me el, te la, te los, te las, te el, nos la, nos los, nos las, le la, le el, mi me, mi se, mi te, mi no, tu te, me a, te a, le a, les a, nos a, le de, me de, se a, sobre el, e o",
  never:
    "de el, a el, y y, y o, o y, pero y, y pero, porque y, que y, que o, y e, lo el, lo un, lo y, lo en, yo es, yo son, yo fue, yo está, yo ha, es y, muy y, el se, un se, su se",
  clashes: [
    ["un el al del mi tu su este ese", /^\p{L}{3,}[oa]s$/u],
    ["unos unas mis tus sus nuestros nuestras estos estas", /^\p{L}{2,}[aeiouáéíóúrnldz]$/u],
    ["una cada", /^(?!mano|foto|moto|radio)\p{L}{2,}(?:os|ado|ido|ito|oso)$/u],
    ["y", /^i\p{L}+$/u],
    ["muy", /^(?:siempre|nunca|el|la|los|las|un|una|de|en|a|que|y|es|son)$/],
    ["el un del al la los las una mi tu su", /^(?:no|ya|me|te|lo|cuando|si|como|donde|también|después|nada|nos|les|fue|está)$/],
    ["de en con para por sin desde hasta sobre", /^(?:me|te|se|le|les|nos|ha|han|hay|había|y|o|pero|porque|está|fue)$/],
    ["había ha he han hemos", /^(?:el|la|los|las|un|una|de|en|con|y|es|son|está|me|te|se|al|del)$/],
    ["se me te le les", /^\p{L}+(?:ando|iendo|ción|dad|mente)$/u],
    ["con sin para por", /^(?:del|al)$/],
    ["es son está están", /^(?:había|ha|han|he|se|me|te|le|les)$/],
    ["el la los las un una", /^(?:toda|todo|todas|todos)$/],
    ["he hemos han", /^(?!que$|de$|dicho$)\p{L}*(?:[^dtsh]o|[^o])$/u],
    ["de en con para por sin sobre", /^(?:he|has|hemos|tengo|tiene|puedo|puede|quiero|quiere|estoy|soy|hay)$/],
    ["el un una del al", /^(?:tengo|tiene|puedo|puede|quiero|quiere|estoy|soy|hay|he|has|hemos|cerca|aquí|allí)$/],
    [
      "un",
      /^(?!lugar|par|bar|mar|taller|hogar|placer|poder|deber|millar|alquiler|ser|militar|altar|pilar|azar|líder|popular|particular|familiar)\p{L}{3,}[aei]r$/u,
    ],
  ],
};

import type { Grammar } from "./grammar.ts";

export const en: Grammar = {
  determiners: "the a an my your our their every",
  prepositions: "of at from into with without during among upon against for",
  conjunctions: "and or but because although whether unless",
  subjects: "i he she we they",
  clitics: "",
  verbs: "is are was were am has had could would should must does did",
  others:
    "not this that these those it you to in on by be been so no if when who what how me him her them us one all more some any do have can will about up out off over after before than then there here just like get got go his as very too its where which while why until now",
  mayEnd: "of for from with into at i without against its theirs",
  fine: "for whether, of whether, from at, from among, from within, for without, of from, for of, i and, he and, she and, we and, they and, we or, he or, i or, is is, had had, with or, with and, for or, for and, from and, at or, at and, into and, against or, all but",
  never:
    "of to, to of, to at, to from, to with, and and, and or, or and, but and, and but, because and, because or, to and, in and, in of, in because, to because, is they, is we, was they, was we, is i, are he, are she, were he, were she, am he, am we, i is, i are, they is, they was, we is, we was, he are, he were, she are, she am, he am, they am, it are, it am, very the, very of, very is, to is, to was, to are, to has, to had, that and, on of, on and, by of, by and, by is, who the, who of",
  clashes: [
    ["a", /^(?!one|once|us|uni|eu)[aeio][a-z]{3,}$/],
    ["an", /^[bcdfgjklmnpqrstvwyz][a-z]{4,}$/],
    ["can could will would should must", /^(?:of|and|is|was|are|were|the|a|an|my|his|their)$/],
    ["do does did", /^(?:of|and|are|were|at)$/],
    ["i he she we they", /^(?:him|her|them|me|us)$/],
    ["be been being", /^(?:is|was|are|were|has|had|can|will|i|he|she|we|they)$/],
    ["not very so too", /^(?:of|is|was|are|were|has|had)$/],
    ["it this that what who", /^(?:of|am|be|been|us|me)$/],
    ["which", /^(?:am|be|been|us|me)$/],
    ["no some any each", /^(?:the|a|an|is|was|and|or|my|your)$/],
    ["me him us them", /^(?:is|was|are|were|has|had|he|she|we|they|i)$/],
    ["than if when where while since until before after", /^(?:of|and|or|than)$/],
    ["as", /^(?:and|or|than)$/],
    ["have has had", /^(?:is|was|are|were|am|be|and|of|or|at)$/],
    [
      "the a an my your our their",
      /^(?:it|he|him|them|us|me|you|is|be|been|have|do|not|if|when|who|what|how|can|will|could|would|should|must|by|on|in|to|at|because|than|as|there)$/,
    ],
    ["at of from into with for by", /^(?:can|could|will|would|should|must|do|does|did|have|be|been|not|if|because|than|as)$/],
    ["and or but", /^(?:than|of)$/],
  ],
};

import { Type } from "@sinclair/typebox";
import { OneOf, defineCheck } from "#contract";
import { Not } from "../counted.ts";
import { fences } from "../json.ts";
import { decided, excerpt, noText } from "../text.ts";

/** Formats by the tags that name them after a fence. */
const TAGS = {
  SQL: ["sql"],
  Python: ["py", "python", "gyp"],
  TypeScript: ["ts", "tsx", "typescript"],
  JavaScript: ["js", "jsx", "javascript"],
  Java: ["java"],
  "C#": ["cs", "csharp", "c#"],
  "C++": ["cpp", "c++"],
  C: ["c"],
  Ruby: ["rb", "ruby"],
  PHP: ["php"],
  Swift: ["swift"],
  Kotlin: ["kt", "kotlin"],
  Go: ["go", "golang"],
  Rust: ["rs", "rust"],
  Scala: ["scala"],
  R: ["r"],
  Perl: ["pl", "perl"],
  Shell: ["sh", "shell", "bash", "zsh"],
  HTML: ["html"],
  CSS: ["css"],
  XML: ["xml"],
  JSON: ["json"],
  YAML: ["yml", "yaml"],
  Markdown: ["md", "markdown"],
  Dockerfile: ["dockerfile"],
} as const;
type Format = keyof typeof TAGS;
const FORMATS = Object.keys(TAGS) as readonly Format[];
const FORMAT_OF: ReadonlyMap<string, Format> = new Map(FORMATS.flatMap((format) => TAGS[format].map((tag) => [tag, format] as const)));

/** Nanoseconds for each character, at most: a text may be nothing but fences, and their tags are shown. */
const CHAR_NS = 500;

export default defineCheck({
  id: "default.containsCode",
  title: "Text contains code of a format",
  on: ["input", "output"],
  targets: ["llm", "mcp_tools"],
  measures: () => true,
  params: Type.Object({
    format: OneOf(FORMATS, { description: "Format to look for, by the language tag of fenced code blocks." }),
    not: Not,
  }),
  cost: (_, chars) => (chars * CHAR_NS) / 1_000_000,
  run({ text, params: { format, not } }) {
    if (text === "") return noText;
    const foundFormats = fences(text)
      .filter(({ tag }) => tag !== "")
      .map(({ tag }) => FORMAT_OF.get(tag.toLowerCase()) ?? tag);
    const found = foundFormats.includes(format);
    const explanation =
      foundFormats.length === 0 ? "The text holds no code block with a language." : `${format} code was ${found ? "" : "not "}found.`;
    return decided(found !== not, { searchedFormat: format, not, foundFormats, textExcerpt: excerpt(text), explanation });
  },
});

/** Older YAML parsers read an unquoted date as a date, where the document means a text. */
const BARE_DATE = /^(\s*(?:- )*(?:[^"\n]*: )?)(\d{4}-\d\d-\d\d\S*)$/gm

export function toYaml(value: unknown): string {
  return `${Bun.YAML.stringify(value, null, 2).replace(BARE_DATE, '$1"$2"')}\n`
}

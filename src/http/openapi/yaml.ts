/** Older readers of YAML take an unquoted date for a date, where the document means a text. */
const BARE_DATE = /^(\s*(?:- )*(?:[^"\n]*: )?)(\d{4}-\d\d-\d\d\S*)$/gm

export function toYaml(value: unknown): string {
  return `${Bun.YAML.stringify(value, null, 2).replace(BARE_DATE, '$1"$2"')}\n`
}

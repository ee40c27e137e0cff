/** `session_bucket` as the type of its column, `sessionBucket`. */
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name

/** A name of the API as its column is called: `session_bucket` becomes `sessionBucket`. */
export function toCamelCase<Name extends string>(name: Name): CamelCase<Name> {
  return name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name>
}

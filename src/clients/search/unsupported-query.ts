/** Thrown by an engine for what it could only answer wrongly: another one is asked instead. */
export class UnsupportedQuery extends Error {
  override name = 'UnsupportedQuery'
}

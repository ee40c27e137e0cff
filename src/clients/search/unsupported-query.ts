/** Thrown by an engine that cannot run a query correctly, so that another engine is used. */
export class UnsupportedQuery extends Error {
  override name = 'UnsupportedQuery'
}

export interface TraceSettings {
  url: string
  headers: Record<string, string>
  serviceName: string
  /** Share of requests that are traced, 0 to 1. */
  ratio: number
}

/** The part of autocannon's interface that the load process uses; the package brings no types. */
declare module 'autocannon' {
  export interface RequestOptions {
    method?: string
    headers?: Record<string, string>
    body?: string
  }

  export interface Options extends RequestOptions {
    url: string
    connections: number
    duration: number
    requests?: RequestOptions[]
  }

  export interface Result {
    duration: number
    errors: number
    timeouts: number
    statusCodeStats: Record<string, { count: number }>
  }

  export interface Run extends PromiseLike<Result> {
    on(event: 'response', listener: (client: object, status: number, bytes: number, ms: number) => void): void
  }

  export default function autocannon(options: Options): Run
}

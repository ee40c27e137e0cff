/** A response of the API. Status 0: the server could not be reached, or the request was stopped. */
export interface Answer<Data> {
  status: number
  code: number
  message: string
  data: Partial<Data>
  retryAfter: number
}

export interface Session {
  session_id: string
  build_id: string
  filename: string
  checksum: string | null
  expected_size: number
  current_size: number
}

export interface Issue {
  path: string
  message: string
}

interface CallOptions {
  body?: XMLHttpRequestBodyInit
  headers?: Record<string, string>
  onProgress?: (sent: number) => void
  signal?: AbortSignal
}

/** Without any progress for this long the connection counts as lost. */
const SILENT_MS = 30_000

/** With XMLHttpRequest, because `fetch` does not tell how much of a body is sent. */
export function call<Data>(method: string, url: string, options: CallOptions = {}): Promise<Answer<Data>> {
  const { body, headers = {}, onProgress, signal } = options
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    // A request that was never sent fires no events.
    if (signal?.aborted) return resolve(read<Data>(request))
    const stop = () => request.abort()
    let timer = setTimeout(stop, SILENT_MS)
    const onAlive = () => {
      clearTimeout(timer)
      timer = setTimeout(stop, SILENT_MS)
    }
    request.open(method, url)
    request.responseType = 'json'
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    request.upload.addEventListener('progress', ({ loaded }) => {
      onAlive()
      onProgress?.(loaded)
    })
    request.addEventListener('progress', onAlive)
    request.addEventListener('loadend', () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve(read<Data>(request))
    })
    signal?.addEventListener('abort', stop)
    request.send(body ?? null)
  })
}

interface Body<Data> {
  error?: { code: number; message: string }
  data?: Data
}

function read<Data>(request: XMLHttpRequest): Answer<Data> {
  const body = (request.response ?? {}) as Body<Data>
  return {
    status: request.status,
    code: body.error?.code ?? 0,
    message: body.error?.message ?? 'The server cannot be reached.',
    data: body.data ?? {},
    retryAfter: Number(request.getResponseHeader('retry-after') ?? 0),
  }
}

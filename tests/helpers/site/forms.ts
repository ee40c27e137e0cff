import { AppError } from '../../../src/errors.ts'

/** Hand-written forms, so that tests can malform them. */
export const FORM_TYPE = 'multipart/form-data; boundary=B'
export const FORM_END = '--B--\r\n'

export function formPart(disposition: string, body: string): string {
  return `--B\r\nContent-Disposition: ${disposition}\r\n\r\n${body}\r\n`
}

export function formText(name: string, value: string): string {
  return formPart(`form-data; name="${name}"`, value)
}

export function formFile(
  name: string,
  bytes: string,
  filename = 'a.bin',
  contentType = 'application/zip',
): string {
  return formPart(`form-data; name="${name}"; filename="${filename}"\r\nContent-Type: ${contentType}`, bytes)
}

/** Sends the body in pieces of the given size. */
export function formRequest(body: string | Uint8Array, size = 7, type = FORM_TYPE): Request {
  const bytes = Buffer.from(body)
  let at = 0
  return streamRequest((controller) => {
    if (at >= bytes.length) return controller.close()
    controller.enqueue(bytes.subarray(at, at + size))
    at += size
  }, type)
}

interface Sink {
  enqueue(bytes: Uint8Array): void
  close(): void
  error(reason: unknown): void
}

export function streamRequest(
  pull: (controller: Sink) => void | Promise<void>,
  type = FORM_TYPE,
  cancel: () => void = () => undefined,
): Request {
  const body = new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 })
  return new Request('http://localhost/', { method: 'POST', headers: { 'content-type': type }, body })
}

/** Returns the error as a client would see it; throws if it is not an AppError. */
export async function failureOf(
  work: Promise<unknown>,
): Promise<{ code: number; status: number; message: string }> {
  const error: unknown = await work.then(
    () => new Error('It did not fail'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof AppError)) throw error
  return { code: error.code, status: error.status, message: error.message }
}

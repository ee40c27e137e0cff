import { OutsideFailure, toOutsideFailure } from './outside-failure.ts'

/** Returns the same response with a body that fails after `maxBytes`. */
export function limitBody(answer: Response, maxBytes: number): Response {
  const { status, headers, body } = answer
  if (body === null) return answer
  const tooLarge = () => new OutsideFailure('too_large', `The answer has more than ${maxBytes} bytes.`)
  const reader = body.getReader()
  let left = maxBytes

  const limited = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        if (done) return controller.close()
        left -= value.byteLength
        if (left < 0) throw tooLarge()
        controller.enqueue(value)
      } catch (error) {
        controller.error(toOutsideFailure(error))
        await reader.cancel().catch(() => undefined)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(limited, { status, headers })
}

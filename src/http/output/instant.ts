import type { Config } from '../../config/config.ts'
import type { Answer } from '../server/handler.ts'
import { createRequestIds } from '../server/request-facts.ts'
import { createAnswerHeaders } from './headers.ts'

interface InstantOptions {
  isStopping: () => boolean
  onAnswer?: ((answer: Answer) => void) | undefined
}

/**
 * Lets the listener send a response that never changes: liveness is checked all the time and should cost next
 * to nothing. The route exists too, for the API description and for other methods.
 */
export function createInstantAnswer(
  config: Pick<Config, 'baseUrl' | 'trustProxy'>,
  path: string,
  answer: object,
  { isStopping, onAnswer }: InstantOptions,
): (request: Request) => Response {
  const requestIdOf = createRequestIds(config.trustProxy)
  const headers = {
    ...createAnswerHeaders(config.baseUrl).own,
    'content-type': 'application/json;charset=utf-8',
  }
  const template = new Response(JSON.stringify(answer), { headers })

  return (request) => {
    // Cloning costs half as much as creating a response with the same headers.
    const response = template.clone() as Response
    response.headers.append('x-request-id', requestIdOf(request))
    if (isStopping()) response.headers.set('connection', 'close')
    onAnswer?.({ method: 'GET', route: path, status: 200, seconds: 0 })
    return response
  }
}

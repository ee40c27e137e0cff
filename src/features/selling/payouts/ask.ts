import { countInRow } from '../../../clients/rate-store/count-request.ts'
import type { Deps } from '../../../deps.ts'

interface Question {
  subject: string
  done: Promise<unknown>
}

/** The question that each account waits for. */
const asked = new Map<string, Question>()

/**
 * For what somebody looks at: one question at a time for an account, and few a minute. Whoever asks the same meanwhile
 * shares it. Over the limit, and while Stripe cannot be reached, what is known is shown.
 */
export async function askStripe(
  { rates, log }: Deps,
  userUid: string,
  subject: string,
  ask: () => Promise<unknown>,
): Promise<void> {
  for (let other = asked.get(userUid); other; other = asked.get(userUid)) {
    await other.done
    if (other.subject === subject) return
  }
  const question = async () => {
    try {
      await countInRow(rates, 'stripe_questions', userUid)
      await ask()
    } catch (error) {
      log.warn('Stripe was not asked about an order or account', { subject, error })
    }
  }
  const done = question().finally(() => asked.delete(userUid))
  asked.set(userUid, { subject, done })
  await done
}

import { invalidFields, type Issue } from '../../../errors.ts'
import { show } from '../../../lib/show.ts'
import { isHttpsUrl } from '../../../lib/urls.ts'
import { WEBHOOK_URL_MAX } from './model.ts'

/** Judged as written: other spellings of the address are not the exception. */
const LOCAL = /^http:\/\/127\.0\.0\.1(?::\d{1,5})?(?:[/?#][^\s\p{Cc}\\]*)?$/u

/** A receiver on this machine, the only inside address that webhooks may be sent to. */
export function isLocalReceiver(url: string): boolean {
  return LOCAL.test(url) && URL.canParse(url)
}

/** Each once, in the order sent. Whether an address lies inside is judged when it is called. */
export function readWebhookUrls(sent: readonly string[]): string[] {
  const urls = sent.map((url) => url.trim())
  const issues = urls.flatMap((url, index): Issue[] => {
    if (url.length <= WEBHOOK_URL_MAX && (isHttpsUrl(url, WEBHOOK_URL_MAX) || isLocalReceiver(url))) return []
    const message = `${show(url)} is not an https address of at most ${WEBHOOK_URL_MAX} characters.`
    return [{ path: `webhook_urls.${index}`, message }]
  })
  if (issues.length > 0) throw invalidFields(issues)
  return [...new Set(urls)]
}

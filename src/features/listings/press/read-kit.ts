import type { PressKitValue } from '../../../domain/listings/press-kit.ts'
import {
  filledText,
  httpsLink,
  optionalList,
  optionalText,
  readBody,
  type Reader,
  record,
  text,
  textLike,
} from '../../../lib/field-readers.ts'
import { isEmail } from '../../../lib/text/email.ts'
import { CREDIT_NAME_MAX, HISTORY_MAX, LINE_MAX, LIST_MAX, RELEASE_DATE_MAX, TEAM_MAX } from './model.ts'

const email = textLike('an e-mail address', isEmail)

const KIT: Reader<PressKitValue> = record<PressKitValue>({
  release_date: optionalText(text(RELEASE_DATE_MAX), ''),
  contact_email: optionalText(email, ''),
  website: optionalText(httpsLink, ''),
  trailer_url: optionalText(httpsLink, ''),
  history: optionalText(text(HISTORY_MAX), ''),
  features: optionalList(LIST_MAX, filledText(LINE_MAX)),
  awards: optionalList(LIST_MAX, filledText(LINE_MAX)),
  links: optionalList(LIST_MAX, record({ label: filledText(80), url: httpsLink })),
  quotes: optionalList(
    LIST_MAX,
    record({ text: filledText(500), source: filledText(120), url: optionalText(httpsLink, null) }),
  ),
  team: optionalList(
    TEAM_MAX,
    record({
      name: filledText(CREDIT_NAME_MAX),
      role: optionalText(text(80), null),
      url: optionalText(httpsLink, null),
    }),
  ),
})

/** A complete kit from the body; every error is 4235. */
export function readPressKit(body: unknown): PressKitValue {
  return readBody(body, KIT, 'press_kit_invalid')
}

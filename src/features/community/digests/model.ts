import { t } from 'elysia'

import { TIME_ZONE_MAX } from '../../../domain/digest-times.ts'
import {
  DIGEST_RHYTHMS,
  MAIL_CHOICES,
  NOTICE_FACTS,
  NOTICE_KINDS,
  type NoticeKind,
} from '../../../domain/notices.ts'
import { Integer, Moment, OneOf, Strict, writable } from '../../../http/input/schema.ts'

const Choice = (kind: NoticeKind) =>
  OneOf(MAIL_CHOICES, { description: `${NOTICE_FACTS[kind].name}. By default ${NOTICE_FACTS[kind].choice}.` })

const Kinds = t.Object(
  Object.fromEntries(NOTICE_KINDS.map((kind) => [kind, Choice(kind)])) as Record<
    NoticeKind,
    ReturnType<typeof Choice>
  >,
)

const times = {
  digest: OneOf(DIGEST_RHYTHMS, { description: 'How often a digest comes; never without something new.' }),
  hour: Integer({ minimum: 0, maximum: 23, description: 'Of the day, in the time zone.' }),
  time_zone: t.String({
    minLength: 1,
    maxLength: TIME_ZONE_MAX,
    description: 'An IANA name.',
    examples: ['Europe/Berlin'],
  }),
}

/** Why an account gets no mails about notices, whatever it chose. */
export const MAIL_STOPS = ['unconfirmed', 'bounced'] as const

export const NoticeSettings = t.Object(
  {
    kinds: Kinds,
    ...times,
    next_digest_at: t.Nullable(Moment, { description: 'null: no kind is in a digest.' }),
    stopped: t.Nullable(OneOf(MAIL_STOPS), {
      description: 'Why no mail is sent until the address is confirmed: null, unconfirmed or bounced.',
    }),
  },
  { $id: 'NoticeSettings' },
)
export type NoticeSettings = typeof NoticeSettings.static

export const NoticeSettingsPatch = Strict({
  kinds: t.Optional(t.Partial(Kinds, { additionalProperties: false })),
  ...t.Partial(t.Object(times)).properties,
})
export type NoticeSettingsPatch = typeof NoticeSettingsPatch.static
export const NoticeSettingsEdit = writable(NoticeSettingsPatch, NoticeSettings)

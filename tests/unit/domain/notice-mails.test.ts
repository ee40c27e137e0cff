import { expect, test } from 'bun:test'

import {
  choiceOf,
  endMails,
  kindsChosen,
  MAIL_ENDS,
  NOTICE_FACTS,
  NOTICE_KINDS,
  sendsAtOnce,
  withoutDefaults,
} from '../../../src/domain/notices.ts'

test('what many follow is not mailed at once unless one asks for it', () => {
  for (const kind of ['release', 'post', 'new_game', 'price', 'released', 'jam'] as const)
    expect(NOTICE_FACTS[kind].choice).toBe('digest')
})

test('what the store mails anyway is in no digest and has no second mail by default', () => {
  const mailedAnyway = NOTICE_KINDS.filter((kind) => !sendsAtOnce(kind))
  expect(mailedAnyway).toEqual(['refund', 'operator'])
  for (const kind of mailedAnyway) expect(kindsChosen({}, 'digest')).not.toContain(kind)
})

test('only what differs from the defaults is kept', () => {
  expect(withoutDefaults({ post: 'digest', release: 'never', refund: 'at_once' })).toEqual({
    release: 'never',
  })
})

test('a link ends one kind, or all that stand in the digest', () => {
  expect(endMails({}, 'post')).toEqual({ post: 'never' })
  expect(endMails({ post: 'at_once' }, 'post')).toEqual({ post: 'never' })
  const ended = endMails({ post: 'at_once' }, 'digest')
  expect(kindsChosen(ended, 'digest')).toEqual([])
  expect(choiceOf(ended, 'post')).toBe('at_once')
  expect(choiceOf(ended, 'review_answer')).toBe('at_once')
  expect(MAIL_ENDS).toEqual(['digest', ...NOTICE_KINDS])
})

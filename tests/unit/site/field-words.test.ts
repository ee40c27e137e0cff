import { expect, test } from 'bun:test'

import { type AppError, invalidField, invalidFields, issueAt } from '../../../src/errors.ts'
import { toRefusal } from '../../../src/site/kit/form-state.ts'
import { HEALTH_TEXTS } from '../../../src/site/kit/labels.tsx'

const faultOf = (error: AppError, fields: Record<string, string>) =>
  toRefusal('form', error, new URLSearchParams(fields)).form.faults[0]

test.each<[field: string, fault: string, typed: Record<string, string>, said: string]>([
  ['rating', 'must be a whole number from 1 to 5, not 0.', {}, 'Choose 1 to 5 stars.'],
  [
    'rating',
    'must be a whole number from 1 to 5, not NaN.',
    { rating: 'x' },
    'The rating must be a whole number from 1 to 5.',
  ],
  ['reason', 'must be one of malware, spam.', { reason: '' }, 'Choose the reason.'],
  [
    'reason',
    'must be one of malware, spam.',
    { reason: 'x' },
    'The reason must be one of those that the form offers.',
  ],
  ['label', 'must be a text of 1 to 80 characters that is not blank.', { label: '  ' }, 'Enter the label.'],
  [
    'label',
    'must be a text of 1 to 80 characters.',
    { label: 'x' },
    'The label must be a text of 1 to 80 characters.',
  ],
  ['name', 'must be one line of 1 to 80 characters.', { name: '' }, 'Enter the name.'],
  ['email', 'must be an e-mail address.', { email: '' }, 'Enter the e-mail address.'],
  ['slug', 'must have 1 to 60 characters of a-z, 0-9 and -.', { slug: '' }, 'Enter the address.'],
  [
    'expires_at',
    'must be a day and a time.',
    { expires_at: 'x' },
    'The time it is valid until must be a day and a time.',
  ],
  [
    'bio',
    'must be a text of at most 5000 characters.',
    { bio: 'x' },
    'The text about you must be a text of at most 5000 characters.',
  ],
  [
    'tags',
    'must have at most 20 entries, not 21.',
    { tags: 'a' },
    'The tags must have at most 20 entries, not 21.',
  ],
])('a fault of %s: %s', (field, fault, typed, said) => {
  expect(faultOf(invalidField(field, fault), typed)).toEqual({ field, message: said })
})

test('an entry of a list is named as it was typed', () => {
  const error = invalidFields([issueAt('tags.1', 'must be a word, not "b/c".')])
  expect(faultOf(error, { tags: 'a, , b/c' })).toEqual({
    field: 'tags',
    message: '“b/c” in the tags must be a word.',
  })
  const lines = invalidFields([issueAt('webhook_urls.1', 'must be an address.')])
  expect(faultOf(lines, { webhook_urls: 'https://a.example\nx' })?.message).toBe(
    '“x” in the webhook addresses must be an address.',
  )
})

test('what a health band means agrees in number', () => {
  for (const { meaning } of Object.values(HEALTH_TEXTS)) expect(meaning).not.toContain('1 crashes')
})

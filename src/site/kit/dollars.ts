import { invalidFields } from '../../errors.ts'
import { textOf } from './form-state.ts'

/** Amounts are typed in dollars and stored in cents; nothing is 0. */
export function readCents(form: URLSearchParams, name: string): number {
  const text = textOf(form, name).trim().replace(/^\$/, '')
  const [, dollars = '', cents = ''] = /^(\d{1,6})(?:[.,](\d{1,2}))?$/.exec(text || '0') ?? []
  if (dollars === '')
    throw invalidFields([{ path: name, message: 'Type the price in dollars, such as 4.99.' }])
  return Number(dollars) * 100 + Number(cents.padEnd(2, '0'))
}

/** Empty for nothing, as a form shows it. */
export function dollarsOf(cents: number): string {
  return cents === 0 ? '' : (cents / 100).toFixed(2)
}

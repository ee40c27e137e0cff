import { once } from '../flow/once.ts'

const numbers = once(() => new Intl.NumberFormat('en-US'))

/** "1,200" */
export function formatNumber(value: number): string {
  return numbers().format(value)
}

/** "1 game", "2 games" */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`
}

/** "40 seconds", "2 minutes", "3 hours": rounded up. */
export function formatDuration(seconds: number): string {
  const [amount, unit] =
    seconds < 90 ? [seconds, 'second'] : seconds < 5400 ? [seconds / 60, 'minute'] : [seconds / 3600, 'hour']
  const whole = Math.ceil(amount)
  return plural(whole, unit)
}

import type { WebsiteUser } from './actor.ts'

/** Who must have a second factor: nobody, those who run the store, or everyone who publishes too. */
export const SECOND_FACTOR_POLICIES = ['optional', 'operators', 'publishers'] as const
export type SecondFactorPolicy = (typeof SECOND_FACTOR_POLICIES)[number]

/** The only place that decides whose password alone is not enough. */
export function lacksFactor(
  policy: SecondFactorPolicy,
  { hasSecondFactor, isOperator }: Pick<WebsiteUser, 'hasSecondFactor' | 'isOperator'>,
): boolean {
  if (hasSecondFactor) return false
  return policy === 'publishers' || (policy === 'operators' && isOperator)
}

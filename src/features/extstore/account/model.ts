import { t } from 'elysia'

export const SignInStart = t.Object({ url: t.String() })
export type SignInStart = typeof SignInStart.static

export const LinkedAccount = t.Object({ extstore_id: t.String() })
export type LinkedAccount = typeof LinkedAccount.static

import { passwords } from '../../../src/features/accounts/passwords/password-rules.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'

const MARK = 'cheap'
const { verify } = passwords

/**
 * Nearly every test signs somebody up, and the hash is made to take a tenth of a second of a core. Servers in the
 * process of the tests hash cheaply; programs that tests start as an operator would, and what they stored, do not.
 */
export function makePasswordsCheap(): void {
  Object.assign(passwords, {
    hash: async (password) => hashCheaply(password, crypto.randomUUID()),
    async verify({ hash, password }) {
      const [mark, salt = ''] = hash.split(':')
      return mark === MARK ? hash === hashCheaply(password, salt) : await verify({ hash, password })
    },
  } satisfies typeof passwords)
}

function hashCheaply(password: string, salt: string): string {
  return `${MARK}:${salt}:${sha256Hex(`${salt}:${password.normalize('NFKC')}`)}`
}

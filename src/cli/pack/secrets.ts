import { readFile } from 'node:fs/promises'

/** Files and folders that hold keys and passwords wherever they are. */
const NAMES = new RegExp(
  [
    String.raw`^\.(?:git|npmrc|netrc|pypirc)$`,
    // Not those that only show what there is to set.
    String.raw`^\.env(?:\.(?!(?:example|sample|template|dist)$).+)?$`,
    '^id_(?:rsa|dsa|ecdsa|ed25519)$',
    String.raw`\.(?:ppk|p12|pfx|jks|keystore)$`,
  ].join('|'),
  'i',
)
/** Names of files that may be a private key; their content decides. */
const LIKELY = /^[^.]+$|\.(?:pem|key|p8|asc)$/i
const PRIVATE_KEY = /-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/
const KEY_BYTES_MAX = 32 * 1024

export function isSecretName(name: string): boolean {
  return NAMES.test(name)
}

export async function isPrivateKey(name: string, path: string, size: number): Promise<boolean> {
  if (size > KEY_BYTES_MAX || !LIKELY.test(name)) return false
  return PRIVATE_KEY.test(await readFile(path, 'latin1'))
}

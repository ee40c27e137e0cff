import { AppError } from '../../errors.ts'
import { parseJson } from '../../lib/json.ts'
import { isKey } from './keys.ts'

/** `token` is our own id and marks the finished object; `remote` is the store's upload id, if it has one. */
export interface UploadId {
  key: string
  token: string
  remote: string
}

const TOKEN = /^[0-9a-f-]{36}$/

export function encodeUploadId({ key, token, remote }: UploadId): string {
  return Buffer.from(JSON.stringify([key, token, remote])).toString('base64url')
}

export function decodeUploadId(id: string): UploadId {
  const [key, token, remote] = parseStrings(Buffer.from(id, 'base64url').toString())
  if (key === undefined || token === undefined || remote === undefined) throw uploadGone()
  if (!isKey(key) || !TOKEN.test(token)) throw uploadGone()
  return { key, token, remote }
}

export function uploadGone(): AppError {
  return new AppError('upload_session_gone')
}

function parseStrings(json: string): string[] {
  try {
    const value = parseJson(json)
    return Array.isArray(value) ? value.filter((part) => typeof part === 'string') : []
  } catch {
    return []
  }
}

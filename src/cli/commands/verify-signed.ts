import { SCAN_PREDICATE, SLSA_PREDICATE, type Statement } from '../../domain/builds/statements.ts'
import type { Attestations, KeySet } from '../../features/builds/attestations/model.ts'
import type { FilesByChecksum } from '../../features/builds/scans/model.ts'
import { type DsseEnvelope, keyIdOf, verifyEnvelope } from '../../lib/dsse.ts'
import { isObject } from '../../lib/field-readers.ts'
import { parseJson } from '../../lib/json.ts'
import type { ApiClient } from '../api/client.ts'
import { CliError } from '../cli-error.ts'
import type { Context } from '../context.ts'
import { configFolder } from '../settings/folders.ts'
import { KnownKeys } from '../settings/known-keys.ts'

type FoundFile = FilesByChecksum['files'][number]

interface Verified {
  file: FoundFile
  keyId: string
  statements: Statement[]
}

/** Finds the file by its bytes, and checks what the store signed about it. */
export async function verifySigned(
  { machine, output }: Context,
  api: ApiClient,
  { zip, checksum, game }: { zip: string; checksum: string; game: string | null },
): Promise<void> {
  const { files } = await api.call<FilesByChecksum>(`/api/v1/public/files/by-checksum/${checksum}`)
  const file = files.find((found) => game === null || found.vanity_name === game || found.game_uid === game)
  if (!file) {
    throw new CliError(
      'different',
      `${api.server} has no public file with the SHA-256 of ${zip}: ${checksum}.`,
    )
  }
  const keys = await readKeys(api)
  await new KnownKeys(configFolder(machine)).check(
    api.server,
    keys.map(({ kid }) => kid),
  )
  const verified = await readStatements(api, file, keys)
  output.result(
    [
      `${zip} is ${file.filename} of ${file.name} ${file.version}, as ${api.server} signed it.`,
      ...verified.statements.map(describe),
      `Key ${verified.keyId}`,
    ].join('\n'),
  )
  output.json({
    file_uid: file.file_uid,
    checksum,
    game: file.vanity_name,
    key_id: verified.keyId,
    statements: verified.statements,
    differences: [],
  })
}

/** Only keys whose id is that of their bytes: nobody passes another key off as a remembered one. */
async function readKeys(api: ApiClient): Promise<KeySet['keys']> {
  const { keys } = await api.call<KeySet>('/.well-known/playshelf/keys.json', { isPlain: true })
  const ids = await Promise.all(keys.map(({ x }) => keyIdOf(x)))
  return keys.filter(({ kid }, index) => ids[index] === kid)
}

async function readStatements(api: ApiClient, file: FoundFile, keys: KeySet['keys']): Promise<Verified> {
  const path = `/api/v1/public/games/${file.game_uid}/files/${file.file_uid}/attestation`
  const answer = await api.call<DsseEnvelope | Attestations>(path, { isPlain: true })
  const envelopes = 'attestations' in answer ? answer.attestations : [answer]
  const statements: Statement[] = []
  let keyId = ''
  for (const envelope of envelopes) {
    const signed = await verifyEnvelope(envelope, keys)
    const statement = signed && (parseJson(signed.text) as Statement)
    if (!signed || statement?.subject[0]?.digest.sha256 !== file.checksum) {
      throw new CliError(
        'different',
        `What ${api.server} says about ${file.filename} is not signed by a key that it publishes, or is about another file.`,
      )
    }
    statements.push(statement)
    ;({ keyId } = signed)
  }
  return { file, keyId, statements }
}

function describe({ predicateType, predicate }: Statement): string {
  const read = (...path: (string | number)[]) => readPath(predicate, path)
  if (predicateType === SLSA_PREDICATE) {
    const [source, commit] = [
      read('buildDefinition', 'externalParameters', 'repository'),
      read('buildDefinition', 'resolvedDependencies', 0, 'digest', 'gitCommit'),
    ]
    const run = read('runDetails', 'metadata', 'invocationId') || read('runDetails', 'builder', 'id')
    return `Built by ${source} at ${commit} in ${run}`
  }
  if (predicateType === SCAN_PREDICATE)
    return `Scanned by ${read('engine')} at ${read('time')}: ${read('verdict')}; uploaded by ${read('uploader')} to ${read('channel')}`
  return predicateType
}

function readPath(value: unknown, path: readonly (string | number)[]): string {
  let found: unknown = value
  for (const part of path) {
    found = isObject(found) || Array.isArray(found) ? Reflect.get(found, part) : undefined
  }
  return typeof found === 'string' ? found : ''
}

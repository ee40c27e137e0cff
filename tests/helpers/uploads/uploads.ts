import { afterAll, beforeAll, describe } from 'bun:test'

import {
  AbortMultipartUploadCommand,
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  paginateListObjectsV2,
  S3Client,
} from '@aws-sdk/client-s3'
import { eq } from 'drizzle-orm'

import { uploadSessions } from '../../../src/db/schema/uploads.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { s3Settings } from '../../contract/object-store-setup.ts'
import { type BuildRow, type DeployPair, insertBuild, issueDeployKey } from '../builds.ts'
import { readData } from '../json.ts'
import { type GameRow, insertGame, verifyEmail } from '../listings.ts'
import { type Person, signUp } from '../people.ts'
import type { TestServer } from '../server.ts'
import { waitFor } from '../wait.ts'

export const UPLOAD_PATH = '/api/v1/tool/upload'

export interface UploadedFile {
  file_uid: string
  build_id: string
  filename: string
  size: number
  checksum: string
  scan: string
  app: string
  app_name: string
}

export interface UploadSession {
  session_id: string
  expected_size: number
  current_size: number
  expires_at: string
  file_uid: string | null
}

export interface Pipeline {
  owner: Person
  game: GameRow
  build: BuildRow
  key: DeployPair
}

/** Signing up is slow, so most tests share an owner; each has its own game. */
const owners = new WeakMap<TestServer, Promise<Person>>()

/** Creates a game with a verified owner, one registered build and a deploy key. */
export async function createPipeline(server: TestServer, own?: Person): Promise<Pipeline> {
  const signedUp = owners.get(server) ?? signUpVerified(server)
  owners.set(server, signedUp)
  const owner = own ?? (await signedUp)
  const game = await insertGame(server, owner)
  const build = await insertBuild(server, game.uid)
  return { owner, game, build, key: await issueDeployKey(server, game.uid) }
}

export async function signUpVerified(server: TestServer): Promise<Person> {
  const person = await signUp(server)
  await verifyEmail(server, person)
  return person
}

/**
 * Bytes that differ from call to call; only the scan reads the content of a zip. No carriage returns: a form reader
 * holds one back at the end of what has arrived, because a boundary may begin there.
 */
export function makeBytes(size: number): Uint8Array {
  const bytes = new Uint8Array(size)
  for (let offset = 0; offset < size; offset += 65_536) {
    crypto.getRandomValues(bytes.subarray(offset, offset + 65_536))
  }
  const carriageReturn = 13
  for (let at = bytes.indexOf(carriageReturn); at !== -1; at = bytes.indexOf(carriageReturn, at))
    bytes[at] = 0
  return bytes
}

type Part = readonly [name: string, value: string | File]

export function zipFile(bytes: Uint8Array, name = 'game.zip'): File {
  return new File([bytes], name, { type: 'application/zip' })
}

/** Builds a form with the parts in the given order. */
export function formOf(parts: readonly Part[]): FormData {
  const form = new FormData()
  for (const [name, value] of parts) form.append(name, value)
  return form
}

/** Builds a valid form for a whole file; `changes` replaces fields or, with null, removes them. */
export function fileForm(
  build: { uid: string },
  bytes: Uint8Array,
  changes: Record<string, string | File | null> = {},
): FormData {
  const fields = { build_id: build.uid, checksum: sha256Hex(bytes), file: zipFile(bytes), ...changes }
  return formOf(Object.entries(fields).flatMap(([name, value]) => (value === null ? [] : [[name, value]])))
}

export async function postFile(server: TestServer, key: DeployPair, form: FormData): Promise<Response> {
  return await server.fetch(`${UPLOAD_PATH}/files`, { method: 'POST', headers: { ...key }, body: form })
}

export async function postSession(
  server: Pick<TestServer, 'fetch'>,
  { key, build }: Pipeline,
  bytes: Uint8Array,
  changes: Record<string, string> = {},
): Promise<Response> {
  const fields = {
    filename: 'game.zip',
    total_size: String(bytes.length),
    checksum: sha256Hex(bytes),
    build_id: build.uid,
    ...changes,
  }
  const body = new URLSearchParams(fields)
  return await server.fetch(`${UPLOAD_PATH}/sessions`, { method: 'POST', headers: { ...key }, body })
}

export async function openSession(
  server: Pick<TestServer, 'fetch'>,
  pipeline: Pipeline,
  bytes: Uint8Array,
  changes: Record<string, string> = {},
): Promise<UploadSession> {
  const answer = await postSession(server, pipeline, bytes, changes)
  if (answer.status !== 201) throw new Error(`The session answered ${answer.status}: ${await answer.text()}`)
  return await readData<UploadSession>(answer)
}

interface ChunkInit {
  /** Replaces the correct headers. */
  headers?: Record<string, string>
  /** Headers to omit. */
  without?: string[]
  body?: Bun.BodyInit
}

/** Sends the bytes from `start` up to, not including, `end`. */
export async function sendChunk(
  server: Pick<TestServer, 'fetch'>,
  key: DeployPair,
  sessionId: string,
  bytes: Uint8Array,
  [start, end]: readonly [start: number, end: number],
  init: ChunkInit = {},
): Promise<Response> {
  const headers = new Headers({
    ...key,
    'x-upload-session-id': sessionId,
    'content-range': `bytes ${start}-${end - 1}/${bytes.length}`,
    ...init.headers,
  })
  for (const name of init.without ?? []) headers.delete(name)
  const body = init.body ?? formOf([['file', zipFile(bytes.subarray(start, end), 'chunk')]])
  return await server.fetch(`${UPLOAD_PATH}/files`, { method: 'POST', headers, body })
}

export interface OpenForm {
  answer: Promise<Response>
  /** Sends more bytes of the file. */
  push(bytes: Uint8Array): void
  /** Ends the file and the form. */
  close(): void
  hangUp(): void
}

const BOUNDARY = 'playshelf-test-boundary'

/** Starts a form with the given fields and a file of unknown length that the test sends piece by piece. */
export function startForm(
  server: Pick<TestServer, 'url'>,
  path: string,
  headers: Record<string, string>,
  fields: Record<string, string> = {},
): OpenForm {
  const controls = Promise.withResolvers<ReadableStreamDefaultController<Uint8Array>>()
  const control = new AbortController()
  const encoder = new TextEncoder()
  const part = (disposition: string) => `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n`
  const head =
    Object.entries(fields)
      .map(([name, value]) => `${part(`name="${name}"`)}\r\n${value}\r\n`)
      .join('') + `${part('name="file"; filename="game.zip"')}Content-Type: application/zip\r\n\r\n`
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode(head))
      controls.resolve(controller)
    },
  })
  const answer = fetch(server.url + path, {
    method: 'POST',
    headers: { ...headers, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
    body,
    signal: control.signal,
  })
  // A client that disconnects expects no response.
  answer.catch(() => undefined)
  // The stream of a connection that ended is closed and takes no more.
  const tell = (use: (controller: ReadableStreamDefaultController<Uint8Array>) => void) =>
    void controls.promise.then(use).catch(() => undefined)
  return {
    answer,
    push: (bytes) => tell((controller) => controller.enqueue(bytes.slice())),
    close: () =>
      tell((controller) => {
        controller.enqueue(encoder.encode(`\r\n--${BOUNDARY}--\r\n`))
        controller.close()
      }),
    hangUp: () => control.abort(),
  }
}

/** Starts a chunk that the test sends piece by piece. */
export function startChunk(
  server: Pick<TestServer, 'url'>,
  key: DeployPair,
  sessionId: string,
  [start, end, total]: readonly [start: number, end: number, total: number],
): OpenForm {
  return startForm(server, `${UPLOAD_PATH}/files`, {
    ...key,
    'x-upload-session-id': sessionId,
    'content-range': `bytes ${start}-${end - 1}/${total}`,
  })
}

/** Waits until a chunk of the session is being written. */
export async function waitForWriter({ deps }: TestServer, sessionId: string): Promise<void> {
  await waitFor('the chunk is being written', async () => {
    const [row] = await deps.db.select().from(uploadSessions).where(eq(uploadSessions.uid, sessionId))
    return row?.writer !== null
  })
}

export async function readCurrentSize(
  server: Pick<TestServer, 'fetch'>,
  key: DeployPair,
  sessionId: string,
): Promise<number> {
  const answer = await server.fetch(`${UPLOAD_PATH}/sessions/${sessionId}`, { headers: { ...key } })
  return (await readData<UploadSession>(answer)).current_size
}

export const S3_MISSING = process.env['TEST_S3_URL'] === undefined && process.env['REQUIRE_ENGINES'] !== '1'

/** The settings of a server with its own storage. */
export type StorageEnv = () => Record<string, string>

/** Runs one suite on every kind of storage. Without an S3 server, the S3 half is skipped by name. */
export function describeEachStorage(title: string, suite: (env: StorageEnv) => void): void {
  describe(`${title}: folder`, () => suite(() => ({})))
  if (S3_MISSING) describe.skip(`${title}: s3`, () => suite(() => ({})))
  else describeInBucket(title, suite)
}

/** Runs one suite on S3, or on a folder where there is no S3 server. */
export function describeOnS3(title: string, suite: (env: StorageEnv) => void): void {
  if (S3_MISSING) describe(`${title}: folder`, () => suite(() => ({})))
  else describeInBucket(title, suite)
}

function describeInBucket(title: string, suite: (env: StorageEnv) => void): void {
  describe(`${title}: s3`, () => {
    let bucket: Bucket | null = null
    beforeAll(async () => {
      bucket = await createBucket()
    })
    afterAll(async () => await bucket?.remove())
    suite(() => bucket?.env ?? {})
  })
}

export interface Bucket {
  env: Record<string, string>
  deleteObject(key: string): Promise<void>
  remove(): Promise<void>
}

export async function createBucket(): Promise<Bucket> {
  const { endpoint, region, accessKeyId, secretAccessKey } = s3Settings()
  const client = new S3Client({
    ...(endpoint !== null && { endpoint }),
    region,
    forcePathStyle: true,
    credentials: { accessKeyId, secretAccessKey },
  })
  const name = `playshelf-${crypto.randomUUID()}`
  await client.send(new CreateBucketCommand({ Bucket: name }))
  const url = new URL(process.env['TEST_S3_URL'] ?? '')
  url.hostname = name
  return {
    env: { STORAGE_URL: url.href, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey },
    async deleteObject(key) {
      await client.send(new DeleteObjectCommand({ Bucket: name, Key: key }))
    },
    async remove() {
      await empty(client, name)
      await client.send(new DeleteBucketCommand({ Bucket: name }))
      client.destroy()
    },
  }
}

async function empty(client: S3Client, Bucket: string): Promise<void> {
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }))
  for (const { Key, UploadId } of Uploads) {
    await client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }))
  }
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket })) {
    for (const { Key } of Contents) await client.send(new DeleteObjectCommand({ Bucket, Key }))
  }
}

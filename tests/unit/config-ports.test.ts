import { expect, test } from 'bun:test'

import { listServicePorts } from '../../src/config-ports.ts'
import { completeConfig, parseConfig } from '../../src/config.ts'

const SECRET_KEY = 's'.repeat(32)

/** Every variable that names a service, and the port that it leads to. */
const SERVICES: Record<string, [value: string, port: number]> = {
  METRICS_PORT: ['4001', 4001],
  BASE_URL: ['http://localhost:4002', 4002],
  UPLOAD_URL: ['http://localhost:4003', 4003],
  MCP_AUTH_URL: ['http://localhost:4004', 4004],
  DATABASE_URL: ['postgres://user:secret@db/playshelf', 5432],
  DATABASE_READ_URL: ['postgres://user:secret@replica:4006/playshelf', 4006],
  STORAGE_URL: ['s3://bucket?endpoint=http://127.0.0.1:4007', 4007],
  MEILI_URL: ['http://127.0.0.1:4008', 4008],
  SCANNER_URL: ['clamd://127.0.0.1', 3310],
  REDIS_URL: ['redis://127.0.0.1', 6379],
  SMTP_URL: ['smtp://127.0.0.1:4009', 4009],
  EXTSTORE_API_URL: ['http://127.0.0.1:4010', 4010],
  EXTSTORE_PARTNER_URL: ['http://127.0.0.1:4011', 4011],
  EXTSTORE_STORE_URL: ['http://127.0.0.1:4012', 4012],
  EXTSTORE_OPENID_URL: ['http://127.0.0.1:4013/login', 4013],
  OTEL_EXPORTER_OTLP_ENDPOINT: ['http://127.0.0.1:4318', 4318],
}

test('the ports of the store and of every service it uses are found', () => {
  const env = Object.fromEntries(Object.entries(SERVICES).map(([name, [value]]) => [name, value]))
  const parsed = parseConfig({ ...env, SECRET_KEY, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' })
  const facts = { port: 4000, databaseUrl: parsed.databaseUrl ?? '', secretKey: SECRET_KEY }
  const ports = listServicePorts(completeConfig(parsed, facts))
  for (const [name, [, port]] of Object.entries(SERVICES))
    expect({ name, found: ports.has(port) }).toEqual({ name, found: true })
  expect(ports.has(4000)).toBe(true)
  expect(ports.has(9000)).toBe(false)
})

test('the port of the embedded database is one of them', () => {
  const facts = {
    port: 4000,
    databaseUrl: 'postgres://postgres@127.0.0.1:45678/playshelf',
    secretKey: SECRET_KEY,
  }
  expect(listServicePorts(completeConfig(parseConfig({}), facts)).has(45_678)).toBe(true)
})

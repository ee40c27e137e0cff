import { describe, expect, test } from 'bun:test'

import { createLogger } from '../../../src/lib/log.ts'
import { redact } from '../../../src/lib/redact.ts'

describe('what is logged', () => {
  test.each([
    'authorization',
    'Cookie',
    'password',
    'secret_key',
    'access_token',
    'web_api_key',
    'authKey',
    'ticket',
  ])('hides the field %s', (name) => {
    expect(redact({ [name]: 'value', nested: { [name]: ['value'] } })).toEqual({
      [name]: '[redacted]',
      nested: { [name]: '[redacted]' },
    })
  })

  test.each([
    'key svc_play_Zm9vYmFyYmF6 was used',
    'identity svc_0123456789abcdef0123456789abcdef',
    'Authorization: Bearer abc.def',
    'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
    'postgres://user:hunter2@db/x',
    'GET /objects/x?expires=1&signature=c2lnbmF0dXJl',
  ])('hides what looks like a secret in %p', (text) => {
    const shown = JSON.stringify(redact({ text }))
    expect(shown).toContain('[redacted]')
    expect(shown).not.toMatch(/Zm9v|0123456789abcdef|abc\.def|c2lnbmF0dXJl|hunter2/)
  })

  test('leaves the rest alone', () => {
    const fields = { path: '/api/v1/private/me', status: 200, ok: true, none: null, list: [1, 'two'] }
    expect(redact(fields)).toEqual(fields)
  })

  test('shows errors with their causes, but not the parameters of a query', () => {
    const error = new Error('Failed query: select $1\nparams: ada@example.org', {
      cause: new Error('deeper'),
    })
    const shown = JSON.stringify(redact({ error }))
    expect(shown).toContain('select $1')
    expect(shown).toContain('deeper')
    expect(shown).not.toContain('ada@example.org')
  })

  test('survives circles', () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    expect(JSON.stringify(redact(circle))).toContain('…')
  })
})

describe('a logger', () => {
  const capture = (level: 'debug' | 'warn' | 'silent', pretty = false) => {
    const lines: string[] = []
    return { lines, log: createLogger({ level, pretty, write: (line) => lines.push(line) }) }
  }

  test('writes JSON lines with the fields of its parents', () => {
    const { lines, log } = capture('debug')
    log.child({ component: 'jobs' }).info('done', { n: 1 })
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: 'info',
      message: 'done',
      component: 'jobs',
      n: 1,
    })
  })

  test('is silent below its level', () => {
    const { lines, log } = capture('warn')
    log.info('no')
    log.error('yes')
    expect(lines).toHaveLength(1)
    expect([log.enabled('info'), log.enabled('error')]).toEqual([false, true])
    const silent = capture('silent')
    silent.log.error('no')
    expect(silent.lines).toEqual([])
  })

  test('is readable in a terminal', () => {
    const { lines, log } = capture('debug', true)
    log.info('Ready', { url: 'http://x' })
    expect(lines[0]).toContain('Ready')
    expect(lines[0]).toContain('url=http://x')
  })
})

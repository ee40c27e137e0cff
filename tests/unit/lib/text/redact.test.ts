import { describe, expect, test } from 'bun:test'

import { createLogger } from '../../../../src/lib/log.ts'
import { redact, redactText } from '../../../../src/lib/text/redact.ts'

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
    'GET /x?X-Amz-Expires=60&X-Amz-Signature=c2lnbmF0dXJl',
    'GET /callback?state=hunter2&code=hunter2',
    'client_id=1&client_secret=hunter2',
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

  test('is cut where it gets long, without showing a secret that is cut in two', () => {
    const shown = redactText('x'.repeat(1_000_000))
    expect(shown.length).toBeLessThan(10_000)
    for (const secret of [
      'postgres://user:hunter2hunter2@db',
      'eyJhbGciOiJIUzI1NiJ9.hunter2.hunter2',
      'svc_hunter2hunter2',
      '?token=hunter2',
    ]) {
      for (let place = 7900; place < 8000; place += 1) {
        expect(redactText(`${' '.repeat(place)}${secret}`)).not.toContain('hunter2h')
      }
    }
    const members = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`field${n}`, n]))
    expect(Object.keys(redact(members)).length).toBeLessThan(100)
  })

  test.each(['-eyJ', 'eyJ.', '//a:', '://', ':', 'Bearer ', '&token', '?a', 'svc_', '//', '\nparams:', '@'])(
    'a megabyte of %j is looked through in one pass',
    (part) => {
      const text = part.repeat(1e6 / part.length)
      const begin = performance.now()
      redact({ text, error: new Error(text, { cause: new Error(text) }) })
      // Some milliseconds; going over it again from every place in it would take minutes.
      expect(performance.now() - begin).toBeLessThan(3000)
    },
  )

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

  test('hides secrets in the message as well', () => {
    const { lines, log } = capture('debug')
    log.info('The key svc_play_Zm9vYmFyYmF6 is gone')
    expect(lines[0]).not.toContain('Zm9v')
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

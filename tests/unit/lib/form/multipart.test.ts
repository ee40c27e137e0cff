import { describe, expect, test } from 'bun:test'

import { type FormOptions, readForm, readFormFile } from '../../../../src/lib/form/multipart.ts'
import {
  failureOf,
  FORM_END as END,
  FORM_TYPE as TYPE,
  formFile as file,
  formPart as part,
  formRequest as request,
  formText as text,
} from '../../../helpers/site/forms.ts'

interface Seen {
  fields: Record<string, string>
  files: { field: string; filename: string; contentType: string; text: string; before: string[] }[]
}

async function read(asked: Request, options: Partial<FormOptions> = {}): Promise<Seen> {
  const files: Seen['files'] = []
  const fields = await readForm(asked, {
    maxBodyBytes: 1_000_000,
    maxFiles: 9,
    async onFile({ stream, ...found }, before) {
      files.push({ ...found, text: await new Response(stream).text(), before: [...before.keys()] })
    },
    ...options,
  })
  return { fields: Object.fromEntries(fields), files }
}

describe('a form', () => {
  test.each([1, 2, 3, 4, 5, 8, 61, 100_000])(
    'is read in pieces of %i bytes, fields in any order',
    async (size) => {
      const body = `${text('a', 'one')}${file('file', 'bytes\r\n--\r\n-B\r\n--A')}${text('b', 'two')}${END}\r\nepilogue`
      expect(await read(request(body, size))).toEqual({
        fields: { a: 'one', b: 'two' },
        files: [
          {
            field: 'file',
            filename: 'a.bin',
            contentType: 'application/zip',
            text: 'bytes\r\n--\r\n-B\r\n--A',
            before: ['a'],
          },
        ],
      })
    },
  )

  test('may be empty, have a preamble, and space after a boundary', async () => {
    expect(await read(request(END))).toEqual({ fields: {}, files: [] })
    const { fields } = await read(request(`preamble\r\n--B \t\r\n${text('a', '').slice(5)}${END}`))
    expect(fields).toEqual({ a: '' })
  })

  test.each([
    ['quotes as browsers write them', 'name="x"; filename="a%22b.png"', 'a"b.png'],
    ['quotes as other clients write them', 'name="x"; filename="a\\"b.png"', 'a"b.png'],
    ['no quotes at all', 'name=x; filename=plain.png', 'plain.png'],
    ['folders', 'name="x"; filename="C:\\\\dir\\\\a.png"', 'a.png'],
    ['other folders', 'name="x"; filename="../../etc/passwd"', 'passwd'],
    ['UTF-8', 'name="x"; filename="ça.png"', 'ça.png'],
    ['the extended form', 'name=x; filename="_.png"; filename*=utf-8\'\'%C3%A7a.png', 'ça.png'],
    ['a semicolon', 'name="x"; filename="a;b=c.png"', 'a;b=c.png'],
    ['nothing', 'filename=""; name="x"', ''],
  ])('reads a filename with %s', async (_, disposition, filename) => {
    const { files } = await read(request(part(`form-data; ${disposition}`, '.') + END))
    expect(files[0]).toMatchObject({ field: 'x', filename, contentType: 'text/plain' })
  })

  test('is read as Bun itself reads it, whatever is in it', async () => {
    let seed = 7
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
      return Math.floor((seed / 2 ** 32) * below)
    }
    const pieces = ['\r', '\n', '-', '--', '\r\n', '\r\n--', 'text', 'ü', '"', ';', '%22', '\\', ' ']
    const anything = () => Array.from({ length: random(9) }, () => pieces[random(pieces.length)]).join('')
    for (let round = 0; round < 300; round += 1) {
      const form = new FormData()
      for (let count = random(4); count > 0; count -= 1) form.set(`f${count}`, anything())
      for (let count = random(3); count > 0; count -= 1)
        form.set(`b${count}`, new File([anything()], 'x.zip'))
      const encoded = new Response(form)
      const type = encoded.headers.get('content-type') ?? ''
      const bytes = new Uint8Array(await encoded.arrayBuffer())
      const seen = await read(request(bytes, 1 + random(200), type))
      const expected = await new Response(bytes, { headers: { 'content-type': type } }).formData()
      const texts = [...expected].flatMap(([name, value]) =>
        typeof value === 'string' ? [[name, value]] : [],
      )
      expect(seen.fields).toEqual(Object.fromEntries(texts))
      for (const found of seen.files) {
        const original = expected.get(found.field)
        expect(original).toBeInstanceOf(Blob)
        if (original instanceof Blob) expect(found.text).toBe(await original.text())
      }
      expect(seen.files).toHaveLength([...expected].length - texts.length)
    }
  })
})

describe('a form is refused', () => {
  test.each([
    ['JSON', 'application/json'],
    ['a urlencoded form', 'application/x-www-form-urlencoded'],
    ['another multipart', 'multipart/mixed; boundary=B'],
    ['a similar type', 'multipart/form-data-x; boundary=B'],
  ])('with 415/4150 when it is %s', async (_, type) => {
    expect(await failureOf(read(request(END, 9, type)))).toEqual({
      code: 4150,
      status: 415,
      message: 'Send the body as multipart/form-data.',
    })
  })

  const whole = text('a', 'one') + file('file', 'some bytes') + END
  test.each([
    ['without a boundary', request(END, 9, 'multipart/form-data')],
    [
      'without a body',
      new Request('http://localhost/', { method: 'POST', headers: { 'content-type': TYPE } }),
    ],
    ['with an empty body', request('')],
    ['that is no form', request('hello')],
    ['with a part without headers', request(`--B\r\n\r\nx\r\n${END}`)],
    ['with a part without a name', request(part('form-data', 'x') + END)],
    ['with a part of another kind', request(part('attachment; name="a"', 'x') + END)],
    ['with text on the line of a boundary', request(text('a', 'x').replace('--B', '--Bc') + END)],
    ['with headers that never end', request(`--B\r\nX: ${'x'.repeat(20_000)}`, 4096)],
    ['with one field twice', request(text('a', '1') + text('a', '2') + END)],
    ['with too many fields', request(text('a', '1') + text('b', '2') + text('c', '3') + END)],
    ['with too many files', request(file('a', '1') + file('b', '2') + END)],
    ['with NUL in a value', request(text('a', 'x\0y') + END)],
    ['with NUL in a name', request(text('a\0', 'x') + END)],
    ['with NUL in a filename', request(file('a', 'x', 'b\0') + END)],
    ['with NUL in an extended filename', request(part("form-data; name=a; filename*=utf-8''%00", 'x') + END)],
  ])('with 400/4000 %s', async (_, asked) => {
    const failure = await failureOf(read(asked, { maxFields: 2, maxFiles: 1 }))
    expect(failure).toMatchObject({ code: 4000, status: 400 })
  })

  test('wherever it breaks off', async () => {
    for (let length = 0; length < whole.length - 4; length += 1) {
      expect(await failureOf(read(request(whole.slice(0, length), 50)))).toMatchObject({ code: 4000 })
    }
  })

  test('under the name its route gives it', async () => {
    const failure = await failureOf(read(request(whole.slice(0, 60)), { unreadable: 'file_missing' }))
    expect(failure).toMatchObject({ code: 4037, message: 'The form ends early; a part of it is missing.' })
  })

  test('with 413/4130 when a field or the whole is too large, declared or not', async () => {
    const large = { code: 4130, status: 413 }
    expect(await failureOf(read(request(whole), { maxFieldBytes: 2 }))).toMatchObject(large)
    expect(await failureOf(read(request(whole), { maxBodyBytes: 100 }))).toMatchObject(large)
    const declared = new Request('http://localhost/', {
      method: 'POST',
      headers: { 'content-type': TYPE },
      body: whole,
    })
    declared.headers.set('content-length', '1000')
    expect(await failureOf(read(declared, { maxBodyBytes: 999 }))).toMatchObject(large)
    expect(declared.bodyUsed).toBe(false)
  })
})

describe('one file', () => {
  const options = { field: 'file', maxBytes: 10 }

  test('comes with its bytes and the fields around it', async () => {
    const body =
      text('kind', 'cover') + file('file', '0123456789', 'x.png', 'image/png; a=b') + text('n', '1') + END
    const { fields, ...rest } = await readFormFile(request(body), options)
    expect(rest).toEqual({ bytes: Buffer.from('0123456789'), filename: 'x.png', contentType: 'image/png' })
    expect(Object.fromEntries(fields)).toEqual({ kind: 'cover', n: '1' })
  })

  test.each([
    [
      'under another name',
      file('image', 'x') + END,
      4000,
      'file must be the name of the file\'s field, not "image".',
    ],
    ['not at all', text('a', 'x') + END, 4000, 'file is missing; send the file in the field of this name.'],
    ['as text', text('file', 'x') + END, 4000, 'file is missing; send the file in the field of this name.'],
    ['together with another', file('file', 'x') + file('file', 'y') + END, 4000, 'Send 1 file at most.'],
    ['with a byte too many', file('file', '0123456789!') + END, 4130, 'The file is larger than 10 bytes.'],
  ])('is refused when it comes %s', async (_, body, code, message) => {
    expect(await failureOf(readFormFile(request(body), options))).toMatchObject({ code, message })
  })
})

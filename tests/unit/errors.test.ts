import { describe, expect, test } from 'bun:test'

import { ERRORS } from '../../src/error-table.ts'
import { AppError, toEnvelope } from '../../src/errors.ts'

/** The rows of the interface's error table, with the statuses the completions add and 4049 of the uploader. */
const LAW: Record<number, number[]> = {
  4000: [400, 428],
  4001: [401],
  4010: [401],
  4020: [401],
  4021: [401],
  4022: [401],
  4023: [401, 402],
  4024: [401],
  4025: [401],
  4026: [400],
  4030: [403],
  4031: [403],
  4033: [403],
  4037: [400],
  4038: [400],
  4039: [404],
  4040: [404],
  4041: [400],
  4043: [413],
  4044: [400, 409],
  4045: [404],
  4046: [400],
  4047: [409],
  4048: [500],
  4049: [409],
  4050: [405],
  4071: [422],
  4072: [422],
  4090: [409],
  4096: [403],
  4099: [409],
  4105: [403],
  4106: [403],
  4107: [403],
  4108: [401],
  4109: [400],
  4113: [409],
  4114: [409],
  4116: [409],
  4117: [409],
  4118: [409],
  4119: [404],
  4120: [412],
  4121: [409],
  4122: [403],
  4123: [412],
  4130: [413],
  4131: [413],
  4150: [415],
  4225: [422],
  4233: [422],
  4234: [422],
  4235: [422],
  4236: [422],
  4238: [422],
  4240: [400, 422],
  4241: [403],
  4242: [409],
  4243: [502],
  4244: [404],
  4245: [404],
  4246: [400, 401],
  4247: [403],
  4248: [401, 422],
  4249: [401],
  4290: [429],
  4291: [429],
  5000: [500],
  5020: [502],
  5021: [502],
  5030: [503],
  5031: [503],
  5071: [507],
}

describe('the table of wire codes', () => {
  test('holds every code with exactly its statuses', () => {
    const table: Record<number, number[]> = {}
    for (const [code, status] of Object.values(ERRORS))
      table[code] = [...new Set([...(table[code] ?? []), status])].sort((a, b) => a - b)
    expect(table).toEqual(LAW)
  })

  test('every sentence tells a person something', () => {
    for (const [, , message] of Object.values(ERRORS)) expect(message).toMatch(/^[A-Z].{8,}\.$/)
  })
})

test('an error becomes the envelope, with data only where there is some', () => {
  expect(toEnvelope(new AppError('not_found'))).toEqual({
    success: false,
    error: { code: 4040, message: 'Not found.' },
  })
  expect(toEnvelope(new AppError('taken', { message: 'Taken.', data: { field: 'name' } }))).toEqual({
    success: false,
    error: { code: 4090, message: 'Taken.' },
    data: { field: 'name' },
  })
})

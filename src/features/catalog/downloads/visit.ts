import { type Client, readClient } from '../../../lib/text/user-agent.ts'

/** What is stored about a download's client: nothing that identifies a person. */
export interface Visit {
  client: Client
  /** Two-letter country code. */
  country: string | null
}

const COUNTRY = /^[A-Z]{2}$/
/** The code that proxies send for an unknown country. */
const UNKNOWN_COUNTRY = 'XX'

/** `countryHeader` is set by a trusted proxy; null without one. */
export function readVisit(headers: Headers, countryHeader: string | null): Visit {
  const country = countryHeader === null ? '' : (headers.get(countryHeader)?.trim().toUpperCase() ?? '')
  return {
    client: readClient(headers.get('user-agent')),
    country: COUNTRY.test(country) && country !== UNKNOWN_COUNTRY ? country : null,
  }
}

import { type Client, readClient } from '../../../lib/user-agent.ts'

/** What is kept about who asked: nothing that leads to a person. */
export interface Visit {
  client: Client
  /** Two letters. */
  country: string | null
}

const COUNTRY = /^[A-Z]{2}$/
/** What proxies write when they do not know. */
const UNKNOWN_COUNTRY = 'XX'

/** `countryHeader` is the one a proxy in front writes, if there is such a proxy. */
export function readVisit(headers: Headers, countryHeader: string | null): Visit {
  const country = countryHeader === null ? '' : (headers.get(countryHeader)?.trim().toUpperCase() ?? '')
  return {
    client: readClient(headers.get('user-agent')),
    country: COUNTRY.test(country) && country !== UNKNOWN_COUNTRY ? country : null,
  }
}

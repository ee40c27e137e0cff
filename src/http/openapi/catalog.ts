export const CATALOG_PATH = '/.well-known/api-catalog'
export const CATALOG_TYPE = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'

/** The API catalog of RFC 9727: links to the description and the documentation of our API. */
export function buildCatalog(baseUrl: string) {
  return {
    linkset: [
      {
        anchor: `${baseUrl}/api/v1/public`,
        'service-desc': [
          {
            href: `${baseUrl}/api/v1/public/openapi.json`,
            type: 'application/json',
            title: 'OpenAPI 3.1 as JSON',
          },
          {
            href: `${baseUrl}/api/v1/public/openapi.yaml`,
            type: 'application/yaml',
            title: 'OpenAPI 3.1 as YAML',
          },
        ],
        'service-doc': [{ href: `${baseUrl}/docs`, type: 'text/html', title: 'API reference' }],
        status: [{ href: `${baseUrl}/ready`, type: 'application/json' }],
      },
    ],
  }
}

/** Ways to name another host that look like a path, to some parser at least. */
export const HOSTILE_PATHS = [
  ...['https://evil.example/', '//evil.example', '///evil.example', String.raw`/\evil.example`],
  ...[
    String.raw`\\evil.example`,
    '/\t/evil.example',
    '/\n/evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
  ],
  ...['javascript:alert(1)', 'http:evil.example', '/%2e//evil.example', ' //evil.example', ''],
  ...[
    '/%2f/evil.example',
    '/%2Fevil.example',
    '/%5cevil.example',
    '/a/%2e%2e//evil.example',
    '/..//evil.example',
  ],
  ...[
    '/\0/evil.example',
    '\t//evil.example',
    '/./%2f%2fevil.example',
    './/evil.example',
    '/./\\evil.example',
  ],
]

/** Files that are imported as text (`with { type: 'text' }`) and served to browsers. */
declare module '*.css' {
  const text: string
  export = text
}

declare module '*.svg' {
  const text: string
  export = text
}

/** Only the games of the demo: they are packed, and run in a browser. */
declare module '*.mjs' {
  const text: string
  export = text
}

/** Files that are imported as text (`with { type: 'text' }`) and served to browsers. */
declare module '*.css' {
  const text: string
  export = text
}

declare module '*.svg' {
  const text: string
  export = text
}

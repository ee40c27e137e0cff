declare module '*.css' {
  const text: string
  export = text
}

declare module '*/client.js' {
  const text: string
  export = text
}

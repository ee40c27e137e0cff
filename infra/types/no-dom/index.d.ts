/** Stands in for the DOM's types, which preact refers to and which contradict Bun's. Islands have the real ones. */
type NoDom = never

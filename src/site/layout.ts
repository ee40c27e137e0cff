import { type Html, html } from '../lib/html.ts'
import { SCRIPT, STYLE } from './assets.ts'

/** The frame of every page. */
export function renderPage(title: string, content: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title} · Playshelf</title>
        <link rel="stylesheet" href="${STYLE.path}" />
        <script src="${SCRIPT.path}" defer></script>
      </head>
      <body>
        <main>
          <p class="brand">Playshelf</p>
          <h1>${title}</h1>
          ${content}
        </main>
      </body>
    </html>`.markup
}

import { WEB_PLAYER_DEFAULTS, type WebPlayer } from '../../domain/listings/web-player.ts'
import stoneGame from './one-more-stone/game.mjs' with { type: 'text' }
import stoneTower from './one-more-stone/tower.mjs' with { type: 'text' }
import progress from './progress.mjs' with { type: 'text' }
import stage from './stage.mjs' with { type: 'text' }
import bloomGame from './static-bloom/game.mjs' with { type: 'text' }
import bloomShared from './static-bloom/shared.mjs' with { type: 'text' }
import bloomWorker from './static-bloom/worker.mjs' with { type: 'text' }

import stageStyle from './stage.css' with { type: 'text' }

const SHARED = { 'progress.mjs': progress, 'stage.mjs': stage, 'stage.css': stageStyle }

const GAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'one-more-stone': {
    'index.html': writePage('One More Stone', 'A tower of stones by the sea'),
    'game.mjs': stoneGame,
    'tower.mjs': stoneTower,
  },
  'static-bloom': {
    'index.html': writePage('Static Bloom', 'A flower of sparks around a small ship'),
    'game.mjs': bloomGame,
    'shared.mjs': bloomShared,
    'worker.mjs': bloomWorker,
  },
}

/** Frame sizes in the aspect ratio of each game. */
const SIZES: Readonly<Record<string, Pick<WebPlayer, 'width' | 'height'>>> = {
  'one-more-stone': { width: 480, height: 640 },
  'static-bloom': { width: 600, height: 600 },
}

/** How a game is shown on its play page; null for games that do not run in a browser. */
export function webPlayerOf(vanityName: string): WebPlayer | null {
  const size = SIZES[vanityName]
  return size ? { ...WEB_PLAYER_DEFAULTS, ...size } : null
}

/** The files of a game's web build by path; null for games that do not run in a browser. */
export function webFilesOf(vanityName: string): Readonly<Record<string, string>> | null {
  const own = GAMES[vanityName]
  return own ? { ...own, ...SHARED } : null
}

function writePage(title: string, shown: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <link rel="stylesheet" href="stage.css" />
    <script type="module" src="game.mjs"></script>
  </head>
  <body>
    <canvas aria-label="${shown}"></canvas>
  </body>
</html>
`
}

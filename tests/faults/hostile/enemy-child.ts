import { constants, setPriority } from 'node:os'

import { attack, type EnemyOptions } from './enemy.ts'
import type { Target } from './target.ts'

/** The enemy in a process of its own, so that its work does not slow the honest visitors' clock. */
const { target, options } = JSON.parse(process.argv[2] ?? '') as { target: Target; options: EnemyOptions }
if (options.isNice) setPriority(constants.priority.PRIORITY_LOW)
process.stdout.write(JSON.stringify(await attack(target, options)))
process.exit(0)

import { constants, setPriority } from 'node:os'

import { attack, type EnemyOptions } from './enemy.ts'
import type { Target } from './target.ts'

/**
 * The enemy in a process of its own, so that its work does not slow the honest visitors' clock. A real one has its
 * own machine: at a low priority this one takes only CPU time that the server and the visitors leave.
 */
setPriority(constants.priority.PRIORITY_LOW)
const { target, options } = JSON.parse(process.argv[2] ?? '') as { target: Target; options: EnemyOptions }
process.stdout.write(JSON.stringify(await attack(target, options)))
process.exit(0)

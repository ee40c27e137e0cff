const words = (text: string): readonly string[] => text.trim().split(/\s+/)

export const ADJECTIVES = words(`
amber ancient ashen autumn bitter brave brazen bright broken buried clever clockwork cloudy cobalt coral crimson crooked
curious dapper deep distant drifting dusty electric endless emerald fallen feral final floating forgotten frozen gentle
gilded glass golden grey hidden hollow humble hungry idle infinite iron ivory jagged jolly kindled last lazy little lonely
lost lucky lunar marble merry midnight mighty misty mossy muddy nameless neon nimble noble northern obsidian odd paper
patient pixel plum polite proud quiet ragged rapid restless rolling rusty salty sandy scarlet secret shady silent silver
sleepy slow small solar solemn southern spiral spotted starlit static stolen stormy stubborn sunken swift tangled tidy
tiny tired twin umber unlikely velvet violet wandering warm wicked wild windy winter wooden woven yellow`)

export const NOUNS = words(`
abbey acorn alley anchor anvil archive arrow atlas attic badger balcony banner barge basin beacon bell bicycle blossom
bridge bureau button cabin cactus canal canyon caravan castle cellar chapel choir circuit citadel clearing cloud coast
comet compass copper corridor courier crater crown dagger delta desert diner dragon drum dune echo ember engine falcon
farm ferry field fjord forest forge fort fountain fox frontier galaxy garden garrison gate ghost giant glacier grove
guild harbour harvest hedge heron hollow horizon hotel island jungle kettle kingdom kite knight labyrinth ladder lagoon
lantern library lighthouse locket machine mansion map market marsh meadow meteor mill mine mirror monastery moon moth
mountain museum nebula nest oasis observatory ocean office opera orbit orchard outpost owl palace parade parlour pearl
penguin pilot planet plaza pocket port prairie quarry quilt radio raft railway raven reef relic ridge river robot rocket
ruin saddle sailor saloon satellite school shadow shelter shore signal snail sparrow spire stable station summit swamp
tavern teapot temple theatre thicket throne tide tower train treehouse tundra tunnel valley vault village violin voyage
wagon warden waterfall whale willow windmill wizard wolf workshop yard zeppelin`)

/** Most common first, as in real catalogs. */
export const TAGS = words(`
singleplayer 2d pixel-art multiplayer retro story-rich cozy atmospheric co-op short funny casual 3d roguelite crafting
exploration difficult relaxing open-world procedural choices-matter local-multiplayer turn-based fantasy sci-fi dark cute
colorful hand-drawn game-jam physics moddable base-building minimalist first-person space survival narrative puzzle music
dungeon top-down side-scroller anime post-apocalyptic zombies deckbuilder farming fishing romance time-travel stealth
hex-grid tactics bullet-hell metroidvania speedrun low-poly voxel isometric text-based mystery detective noir cyberpunk
steampunk medieval vikings pirates samurai ninjas robots dinosaurs dragons magic witches vampires ghosts aliens cats dogs
birds insects ocean underwater desert winter forest city trains cars planes ships submarines trucks logistics automation
economy politics history war diplomacy trading cooking baking gardening animals nature weather education science math
words language typing rhythm dance sports football tennis golf skating cycling climbing boxing wrestling chess board-game
tabletop party family kids couch-coop online-coop pvp pve battle-royale arena tower-defense idle clicker incremental
simulation management tycoon life-sim dating-sim walking-simulator horror psychological gore thriller comedy satire drama
tragedy experimental abstract surreal dreamlike meditative emotional wholesome accessible colorblind-friendly one-button
touch-friendly controller vr motion-controls split-screen asynchronous play-by-mail cross-platform open-source early-access
tileset sprites characters textures shaders sound-effects ui fonts plugin library netcode dialogue tools level-editor`)

export const ENGINES = words(
  `godot custom bevy love2d phaser defold renpy raylib twine monogame pygame heaps`,
)

export const SENTENCES = [
  'You wake in a {adjective} {noun} with nothing but a {noun} and a promise.',
  'Every {noun} remembers the {adjective} {noun} that stood here before.',
  'Build your own {noun}, trade with the {adjective} {noun}, and keep one eye on the {noun}.',
  'There is no map: the {noun} is drawn by the way you walk through the {adjective} {noun}.',
  'Up to four friends can share one {noun}, which is one more than it was made for.',
  'The {adjective} {noun} changes with the hour, and so do its rules.',
  'A run takes about as long as a cup of tea in a {adjective} {noun}.',
  'Listen to the {noun}; it tells you where the {noun} will be tomorrow.',
  'We drew each {noun} by hand and most of them twice.',
  'Nothing in the {adjective} {noun} is there by chance, except for the {noun}.',
  'Choose between the {noun} and the {noun}, and live with it until the {adjective} morning.',
  'It began as a joke about a {noun} and became a {adjective} {noun} of its own.',
  'Find all ninety-nine pieces of the {adjective} {noun} before the {noun} does.',
  'Your {noun} can be repaired, painted, lost and, with some luck, found again.',
  'The {noun} is patient. The {noun} is not.',
  'Mods can replace every {noun}, every rule and the entire {adjective} {noun}.',
  'Some say the {adjective} {noun} was a {noun} once; the soundtrack agrees.',
  'Play it with a pad, a mouse, or one finger on a {adjective} evening.',
  'Behind the {noun} there is another {noun}, and it is {adjective}.',
  'Thank you to everyone who tested the {adjective} {noun}, especially the {noun}.',
] as const

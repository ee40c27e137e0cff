/** How a web game keeps saves, for copying; the same stand in the chapter about saves. */
export interface Snippet {
  id: string
  engine: string
  /** The files that the text is for, and what to know about it. */
  note: string
  text: string
}

export const SNIPPETS: readonly Snippet[] = [
  {
    id: 'javascript',
    engine: 'Plain JavaScript',
    note: 'In index.html.',
    text: `<script src="/.playshelf/sdk.js"></script>
<script type="module">
  const { saves } = playshelf

  async function load() {
    const bytes = await saves.read('main') // an ArrayBuffer; null if there is none
    return bytes ? await new Response(bytes).json() : { level: 1 }
  }

  async function save(state) {
    // 'account', 'waiting' (sent once the store can be reached) or 'browser'
    return await saves.write('main', JSON.stringify(state))
  }

  const state = await load()
  state.level += 1
  await save(state)
</script>`,
  },
  {
    id: 'godot',
    engine: 'Godot 4',
    note: 'saves.gd, as the autoload Saves. In the game: Saves.read("main"), then await Saves.loaded; Saves.write("main", text).',
    text: `extends Node

signal loaded(text) # null: there is no save

var _hear = JavaScriptBridge.create_callback(_on_read)

func _ready():
	if OS.has_feature("web"):
		JavaScriptBridge.get_interface("window").hearSave = _hear

func read(slot: String):
	_call("read(%s).then((bytes) => hearSave(bytes && new TextDecoder().decode(bytes)))" % JSON.stringify(slot))

func write(slot: String, text: String):
	_call("write(%s, %s)" % [JSON.stringify(slot), JSON.stringify(text)])

func _call(code: String):
	JavaScriptBridge.eval("import('/.playshelf/sdk.js').then(() => playshelf.saves.%s)" % code)

func _on_read(args):
	loaded.emit(args[0])`,
  },
  {
    id: 'unity',
    engine: 'Unity',
    note: 'Assets/Plugins/WebGL/Saves.jslib. In C#: [DllImport("__Internal")] static extern void SavesRead(string slot, string target); and void SavesWrite(string slot, string text); the object named target gets OnSave(string text), empty if there is no save.',
    text: `mergeInto(LibraryManager.library, {
  SavesRead: function (slot, target) {
    var name = UTF8ToString(slot)
    var object = UTF8ToString(target)
    import('/.playshelf/sdk.js')
      .then(function () {
        return playshelf.saves.read(name)
      })
      .then(function (bytes) {
        SendMessage(object, 'OnSave', bytes ? new TextDecoder().decode(bytes) : '')
      })
  },

  SavesWrite: function (slot, text) {
    var name = UTF8ToString(slot)
    var value = UTF8ToString(text)
    import('/.playshelf/sdk.js').then(function () {
      return playshelf.saves.write(name, value)
    })
  },
})`,
  },
  {
    id: 'defold',
    engine: 'Defold',
    note: 'saves.lua. In a script: saves.read("main", function(text) … end), with nil if there is no save; saves.write("main", text).',
    text: `local M = {}

local function run(code)
	html5.run("import('/.playshelf/sdk.js').then(() => playshelf.saves." .. code .. ")")
end

function M.read(slot, done)
	html5.run("globalThis.foundSave = ''")
	run("read(..." .. json.encode({ slot }) .. ").then((bytes) => { globalThis.foundSave = bytes ? '+' + new TextDecoder().decode(bytes) : '-' })")
	timer.delay(0.1, true, function(_, handle)
		local found = html5.run("globalThis.foundSave")
		if found == "" then return end
		timer.cancel(handle)
		done(found ~= "-" and found:sub(2) or nil)
	end)
end

function M.write(slot, text)
	run("write(..." .. json.encode({ slot, text }) .. ")")
end

return M`,
  },
]

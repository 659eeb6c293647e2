-- Builds a session in Ardour without a screen, or plays one and exports it: ardour.py writes the plan and runs this, a process for each stage.
-- SPDX-License-Identifier: ISC
--
-- MILLRACE_PLAN: a Lua file that returns the plan, as ardour.py has it. MILLRACE_STAGE: make or play. Prints lines that begin with "= ",
-- which ardour.py reads; anything else is Ardour's own. Exits with 1 and a line "FAILED" at the first thing that Ardour refuses.
local plan = dofile(os.getenv("MILLRACE_PLAN"))
local AUDIO = ARDOUR.DataType("audio")

local function ensure(ok, ...)
  if ok then return ok end
  print("FAILED", ...)
  os.exit(1)
end

local function say(...)
  local words = { "=" }
  for _, word in ipairs({ ... }) do
    words[#words + 1] = type(word) == "number" and math.type(word) == "float" and string.format("%.9g", word) or tostring(word)
  end
  print(table.concat(words, " "))
end

local function widen(io, count)
  while io:n_ports():n_audio() < count do ensure(io:add_port("", nil, AUDIO) == 0, "add_port") end
end

-- The panner out of the way: channel k goes to channel k.
local function straighten(route)
  if not route:panner_shell():isnil() then route:panner_shell():set_bypassed(true) end
end

-- Ardour counts the control ports alone; here they are found by their LV2 index.
local function controls(plugin)
  local found, count = {}, 0
  while count < 1000 do
    local index, ok = plugin:nth_parameter(count, false)
    if type(index) == "table" then index, ok = table.unpack(index) end
    if not ok then break end
    found[index] = count
    count = count + 1
  end
  return found
end

local STATES = { play = ARDOUR.AutoState.Play, touch = ARDOUR.AutoState.Touch, write = ARDOUR.AutoState.Write, latch = ARDOUR.AutoState.Latch }
local NAMES = {}
for name, state in pairs(STATES) do NAMES[state] = name end

local function automation_control(processor, index)
  return processor:to_insert():to_automatable():automation_control(
    Evoral.Parameter(ARDOUR.AutomationType.PluginAutomation, 0, index), true)
end

local function automate(processor, nth, line)
  local list, control = ARDOUR.LuaAPI.plugin_automation(processor, nth)
  ensure(not list:isnil(), "no automation of port", line.port)
  for _, point in ipairs(line.points) do control:add(Temporal.timepos_t(point[1]), point[2], false, true) end
  automation_control(processor, line.port):set_automation_state(STATES[line.state])
end

local function add_track(entry)
  local track = Session:new_audio_track(entry.channels, entry.channels, nil, 1, entry.name, ARDOUR.PresentationInfo.max_order,
                                        ARDOUR.TrackMode.Normal, true):front()
  ensure(track:n_outputs():n_audio() == entry.channels, "outputs of", entry.name)
  straighten(track)
  -- A region with a file for each channel: silence, whose samples ardour.py overwrites.
  local region = track:bounce_range(0, entry.frames, ARDOUR.InterThreadInfo(), track:main_outs(), true, entry.name)
  ensure(not region:isnil(), "region of", entry.name)
  region:to_audioregion():set_fade_in_active(false)
  region:to_audioregion():set_fade_out_active(false)
  track:playlist():add_region(region, Temporal.timepos_t(entry.start), 1, false, 0, 0, false)

  local processor = ARDOUR.LuaAPI.new_plugin(Session, entry.uri, ARDOUR.PluginType.LV2, "")
  ensure(not processor:isnil(), "no plugin", entry.uri)
  ensure(track:add_processor_by_index(processor, 0, nil, true) == 0, "cannot insert", entry.uri)
  local insert = processor:to_insert()
  say("instance", entry.name, insert:get_count(), insert:input_streams():n_audio(), insert:output_streams():n_audio(), insert:signal_latency())
  local plugin = insert:plugin(0)
  if entry.preset then
    local preset = plugin:preset_by_label(entry.preset)
    ensure(preset and preset.valid, "no preset", entry.preset)
    ensure(plugin:load_preset(preset), "cannot load", entry.preset)
  end
  local number = controls(plugin)
  for _, value in ipairs(entry.values) do
    ensure(ARDOUR.LuaAPI.set_processor_param(processor, ensure(number[value[1]], "no port", value[1]), value[2]), "cannot set port", value[1])
  end
  for _, line in ipairs(entry.automation) do automate(processor, number[line.port], line) end
end

local function make()
  ensure(create_session(plan.folder, plan.name, plan.rate), "create_session")
  local master = Session:master_out()
  -- With the engine at rest: otherwise another thread of Ardour's walks the ports while they are added, and now and then crashes.
  AudioEngine:stop(false)
  widen(master:input(), plan.channels)
  ensure(AudioEngine:start(false) == 0, "the engine does not start")
  ensure(master:n_outputs():n_audio() == plan.channels, "the master's outputs")
  straighten(master)
  for _, entry in ipairs(plan.tracks) do add_track(entry) end
  ensure(Session:save_state("") == 0, "save_state")
end

local function read_back(entry)
  local track = Session:route_by_name(entry.name)
  ensure(not track:isnil(), "no track", entry.name)
  local processor = track:nth_plugin(0)
  ensure(not processor:isnil(), "no plugin in", entry.name)
  for index, nth in pairs(controls(processor:to_insert():plugin(0))) do
    local value, ok = ARDOUR.LuaAPI.get_processor_param(processor, nth, false)
    if type(value) == "table" then value, ok = table.unpack(value) end
    if ok then say("value", entry.name, index, value) end
  end
  for _, line in ipairs(entry.automation) do
    say("state", entry.name, line.port, NAMES[automation_control(processor, line.port):automation_state()] or "other")
    local _, control = ARDOUR.LuaAPI.plugin_automation(processor, controls(processor:to_insert():plugin(0))[line.port])
    for event in control:events():iter() do say("point", entry.name, line.port, event.when:samples(), event.value) end
  end
end

local function play()
  ensure(load_session(plan.folder, plan.name), "load_session")
  for _, entry in ipairs(plan.tracks) do read_back(entry) end
  -- Until what loading began in other threads is over: an export that begins amid it waits for Ardour's disk thread for ever, now and then.
  ensure(ARDOUR.LuaAPI.wait_for_process_callback(40, 30000), "no process callback")
  local export = Session:simple_export()
  export:set_folder(plan.folder)
  export:set_name("export")
  export:set_range(0, plan.frames)
  ensure(export:set_preset(plan.preset), "set_preset")
  ensure(export:check_outputs(), "check_outputs")
  local began = ARDOUR.LuaAPI.monotonic_time()
  ensure(export:run_export(), "run_export")
  say("microseconds", ARDOUR.LuaAPI.monotonic_time() - began)
  export = nil
  collectgarbage()
end

ensure(AudioEngine:set_backend("None (Dummy)", "", "") ~= nil, "no dummy backend")
if os.getenv("MILLRACE_STAGE") == "make" then make() else play() end
close_session()
quit()
os.exit(0)

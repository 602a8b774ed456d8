// What Session.append does with { ignorable: true }, as the installed dsh-session does it.
// usage: node demo-append.mjs INSTALLATION stock|patched
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [installation, expected] = process.argv.slice(2);
const file = join(installation, "node_modules/@deepseek-ai/dsh-session/lib/index.js");
const { Session } = await import(pathToFileURL(file).href);

function check(what, holds) {
	console.log(`  ${holds ? "ok  " : "FAIL"}  ${what}`);
	if (!holds) process.exitCode = 1;
}

/** What the action throws, or nothing. */
function thrown(action) {
	try {
		action();
	} catch (error) {
		return error.message;
	}
}

const session = Session.create("demo");
const step = { childId: "c1", provider: "demo", index: 0, item: { kind: "assistant", text: "hello" } };
const message = { id: "m1", role: "user", content: [{ type: "text", text: "hi" }], source: { kind: "user" } };

const marked = session.append("subagent/stream", step, { ignorable: true });
console.log(`  ${JSON.stringify(marked)}`);

if (expected === "stock") {
	check("the level cannot be read", session.ignorableAppendLevel === undefined);
	check("the option is dropped: the event is unmarked", !("ignorable" in marked));
} else {
	check("the level is 1", session.ignorableAppendLevel === 1);
	check("the event is marked", marked.ignorable === true);
	check("the marker stands after data", Object.keys(marked).join() === "type,seq,time,data,ignorable");
	for (const other of [false, 1, "true", null, undefined, {}]) {
		const event = session.append("subagent/stream", step, { ignorable: other });
		check(`ignorable: ${JSON.stringify(other)} marks nothing`, !("ignorable" in event));
	}
	check("without the option there is no marker", !("ignorable" in session.append("subagent/stream", step)));

	let reads = 0;
	const changing = {
		get ignorable() {
			reads += 1;
			return true;
		},
	};
	check("the option is read once", session.append("subagent/stream", step, changing).ignorable && reads === 1);

	const before = JSON.stringify(session.events);
	check(
		"with a surfaceOp it throws",
		thrown(() => session.append("user/message", message, { ignorable: true, surfaceOp: "append" })) ===
			'session event "user/message" is marked ignorable and cannot carry surfaceOp',
	);
	check(
		"on an event that is not for the surface, too",
		thrown(() => session.append("subagent/stream", step, { ignorable: true, surfaceOp: "append" })) ===
			'session event "subagent/stream" is marked ignorable and cannot carry surfaceOp',
	);
	check(
		"sourceEventSeqs beside it are refused as ever",
		thrown(() => session.append("subagent/stream", step, { ignorable: true, sourceEventSeqs: [0] })) ===
			'session event "subagent/stream" is not surface-eligible and cannot carry sourceEventSeqs',
	);
	check("the log is as it was", JSON.stringify(session.events) === before);

	const said = session.append("user/message", message, { surfaceOp: "append" });
	check("a surface event goes in as ever", said.surfaceOp === "append" && !("ignorable" in said));
	const restored = Session.create("restored", session.events);
	check("the marker survives a reload", restored.events[0].ignorable === true);
}

// Moves the two frames of this page, and says what they tell.
const [first, second] = ["first", "second"].map((id) => document.getElementById(id));
const said = document.getElementById("said");
const on = (id, act) => document.getElementById(id).addEventListener("click", () => act().catch(({ message }) => {
  said.textContent = message;
}));

on("play", () => (first.moment?.playing ? first.pause() : first.play(8)));
on("page", () => first.seek("page 14"));
on("end", () => second.seek("the end"));

first.addEventListener("mmscope-ready", ({ detail }) => { said.textContent = `mmscope ${detail.version} is ready.`; });
first.addEventListener("mmscope-step", ({ detail }) => {
  document.getElementById("play").textContent = detail.playing ? "Pause" : "Play";
  said.textContent = `${detail.milestone}: old ${detail.old.step}, new ${detail.new.step}`;
});
first.addEventListener("mmscope-divergence", ({ detail }) => {
  said.textContent = `The sides differ from step ${detail.step.join(" and ")} on.`;
});

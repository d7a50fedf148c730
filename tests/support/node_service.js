// The service on Node's https: node node_service.js SERVER.PEM. Prints its port; at the end of its input, the codes and
// the numbers that it accepted.
"use strict";
const fs = require("fs");
const https = require("https");

const pem = fs.readFileSync(process.argv[2]);
const accepted = [], numbers = [];

const server = https.createServer({ key: pem, cert: pem }, (request, response) => {
  const pieces = [];
  request.on("data", (piece) => pieces.push(piece));
  request.on("end", () => {
    const { msgdata } = JSON.parse(Buffer.concat(pieces));
    const [word, number = `${accepted.length}`] = msgdata[0].message.split("-");
    if (word === "drop") return response.socket.destroy();
    response.setHeader("Content-Type", "application/json");
    if (word === "refuse") return response.end('{"Status":"Failed","Message":"Invalid sender ID"}');
    if (word === "garble") return response.end('{"Status":"OK","Cost":"35","MsgFollow');
    accepted.push(number);
    numbers.push(...msgdata.map((entry) => entry.number));
    response.end(JSON.stringify({ Status: "OK", Cost: "35", MsgFollowUpUniqueCode: number }));
  });
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume();
process.stdin.on("end", () => {
  process.stdout.write(JSON.stringify([accepted, numbers]) + "\n", () => process.exit());
});
